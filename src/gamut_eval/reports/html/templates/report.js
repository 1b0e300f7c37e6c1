"use strict";
(() => {
  // --- sortable tables -------------------------------------------------------------------------

  const compare = (a, b) => a.localeCompare(b, "en", { numeric: true });

  const key = (row, column) => {
    const cell = row.cells[column];
    const sort = cell.dataset.s;
    if (sort === undefined) return { text: cell.textContent };
    return sort === "" ? null : { number: Number(sort) };
  };

  const order = (a, b, sign) => {
    // What is undefined stays last either way.
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * ("text" in a ? compare(a.text, b.text) : a.number - b.number);
  };

  const sortBy = (table, head, column) => {
    const numeric = !head.classList.contains("k-text");
    const now = head.getAttribute("aria-sort");
    const first = numeric ? "descending" : "ascending";
    const second = numeric ? "ascending" : "descending";
    const direction = now === first ? second : first;
    for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: key(row, column) }));
    rows.sort((a, b) => order(a.key, b.key, sign));
    body.append(...rows.map((entry) => entry.row));
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    Array.from(table.querySelectorAll("tr.heads th")).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, head, column));
      head.append(button);
    });
  }

  // --- quotes and their checks -----------------------------------------------------------------

  let lit = [];

  const light = (target) => {
    for (const element of lit) element.classList.remove("on");
    lit = [];
    const from = target instanceof Element ? target.closest("[data-c]") : null;
    if (!from) return;
    const wanted = new Set(from.dataset.c.split(" "));
    const shares = (element) => element.dataset.c.split(" ").some((check) => wanted.has(check));
    lit = Array.from(from.closest(".answer").querySelectorAll("[data-c]")).filter(shares);
    for (const element of lit) element.classList.add("on");
  };

  document.addEventListener("pointerover", (event) => light(event.target));
  document.addEventListener("focusin", (event) => light(event.target));
  document.addEventListener("focusout", () => light(null));

  // --- what a mark of a figure says ------------------------------------------------------------

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);

  const tell = (event) => {
    const mark = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect();
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, room))}px`;
    const above = box.top - tip.offsetHeight - 8;
    tip.style.top = `${above > 0 ? above : box.bottom + 8}px`;
  };

  document.addEventListener("pointerover", tell);
  const scrolled = () => {
    if (!document.querySelector("[data-tip]:hover")) tip.hidden = true;
  };
  document.addEventListener("scroll", scrolled, { capture: true, passive: true });

  // --- links into what is closed ---------------------------------------------------------------

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    // A link from elsewhere leads to what the filter hides, too.
    if (target.closest("[hidden]")) document.dispatchEvent(new Event("unfilter"));
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    target.scrollIntoView({ block: "center", behavior: "instant" });
  };

  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // --- filter ----------------------------------------------------------------------------------

  const form = document.querySelector("form.filter");
  if (!form) return;
  const questions = Array.from(document.querySelectorAll(".question"), (box) => ({
    box,
    text: Array.from(box.querySelectorAll(":scope > summary, :scope > .inside > .asked"), (part) => part.textContent)
      .join(" ")
      .toLowerCase(),
    answers: null,
  }));

  const answersOf = (question) => {
    question.answers ??= Array.from(question.box.querySelectorAll(".answer"), (box) => ({
      box,
      shown: box.querySelector(".shown"),
      checks: Array.from(box.querySelectorAll(".check"), (item) => ({
        item,
        verdicts: new Set(item.dataset.v.trim().split(" ")),
      })),
    }));
    return question.answers;
  };

  // What was open before the filter by verdict opened more.
  const before = new Map();

  const openFor = (box, filtered) => {
    if (filtered) {
      if (!before.has(box)) before.set(box, box.open);
      box.open = true;
    } else if (before.has(box)) {
      box.open = before.get(box);
      before.delete(box);
    }
  };

  const filterAnswer = (answer, verdict) => {
    let count = 0;
    for (const { item, verdicts } of answer.checks) {
      item.hidden = Boolean(verdict) && !verdicts.has(verdict);
      count += !item.hidden;
    }
    const fits = !verdict || count > 0;
    answer.box.hidden = !fits;
    answer.box.classList.toggle("filtered", Boolean(verdict));
    openFor(answer.box, Boolean(verdict) && fits);
    if (answer.shown) {
      answer.shown.hidden = !verdict;
      answer.shown.textContent = `${count} of ${answer.checks.length} checks shown`;
    }
    return fits;
  };

  const filter = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = form.elements.verdict.value;
    let shown = 0;
    for (const question of questions) {
      let fits = words.every((word) => question.text.includes(word));
      if (verdict || question.answers) {
        const any = answersOf(question).map((answer) => filterAnswer(answer, fits ? verdict : "")).some(Boolean);
        fits &&= !verdict || any;
        openFor(question.box, Boolean(verdict) && fits);
      }
      question.box.hidden = !fits;
      shown += fits;
    }
    const all = !words.length && !verdict;
    form.querySelector("output").textContent = all ? "" : `${shown} of ${questions.length} questions`;
  };

  let waiting = 0;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  document.addEventListener("unfilter", () => {
    form.reset();
    filter();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
