"use strict";
(() => {
  // --- a verdict and the words it rests on -------------------------------------------------------

  const litBy = new Map();

  const light = (opinion) => {
    const mark = opinion.dataset.quote && document.getElementById(opinion.dataset.quote);
    if (!mark) return;
    // A quote may be cut into several marks: those that follow and belong to the same check.
    const check = opinion.closest("td").id.split("c").pop();
    const marks = [];
    for (let one = mark; one && one.matches("mark") && one.dataset.c.split(" ").includes(check); one = one.nextSibling) {
      if (one.nodeType === Node.TEXT_NODE) break;
      marks.push(one);
      if (!(one.nextSibling instanceof Element)) break;
    }
    for (const one of marks) one.classList.add("on");
    litBy.set(opinion, marks);
    const pane = mark.closest(".text");
    if (pane.scrollHeight > pane.clientHeight) {
      pane.scrollTo({ top: mark.offsetTop - pane.offsetTop - pane.clientHeight / 3 });
    }
  };

  const unlight = (opinion) => {
    const marks = litBy.get(opinion) ?? [];
    litBy.delete(opinion);
    const still = new Set(Array.from(litBy.values()).flat());
    for (const one of marks) if (!still.has(one)) one.classList.remove("on");
  };

  document.addEventListener(
    "toggle",
    (event) => {
      if (!event.target.matches?.("details.opinion")) return;
      (event.target.open ? light : unlight)(event.target);
    },
    true,
  );

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.matches("td")) for (const one of target.querySelectorAll("details.opinion")) one.open = true;
  };

  addEventListener("hashchange", reveal);
  reveal();

  // --- forms ---------------------------------------------------------------------------------------

  for (const form of document.querySelectorAll("form.filter, form.choose")) {
    form.addEventListener("change", (event) => {
      if (event.target.matches("select, input[type=checkbox]")) form.requestSubmit();
    });
  }
  for (const form of document.querySelectorAll("form")) {
    form.addEventListener("formdata", ({ formData }) => {
      for (const [name, value] of Array.from(formData.entries())) if (value === "") formData.delete(name);
    });
  }

  // --- keys ----------------------------------------------------------------------------------------

  let dialog = null;

  const showKeys = () => {
    if (!dialog) {
      dialog = document.createElement("dialog");
      dialog.className = "keys";
      const title = document.createElement("h2");
      title.id = "keys-title";
      title.textContent = "Keys";
      dialog.setAttribute("aria-labelledby", title.id);
      const close = document.createElement("button");
      close.textContent = "Close";
      close.addEventListener("click", () => dialog.close());
      dialog.append(title, document.querySelector("#keys dl").cloneNode(true), close);
      document.body.append(dialog);
    }
    if (dialog.open) dialog.close();
    else dialog.showModal();
  };

  const follow = (selector) => document.querySelector(selector)?.click();

  const inList = (step) => {
    const links = Array.from(document.querySelectorAll(".listed tbody th a, .missed tbody th a"));
    if (!links.length) return;
    const now = links.indexOf(document.activeElement);
    links[Math.min(Math.max(now + step, 0), links.length - 1)].focus();
  };

  const go = (rel, step) => (document.querySelector(".steps") ? follow(`a[rel=${rel}]`) : inList(step));

  const choose = (number) => {
    const box = document.querySelectorAll("form.choose input[name=models]")[number - 1];
    if (box) box.click();
  };

  const actions = {
    j: () => go("next", 1),
    ArrowRight: () => go("next", 1),
    k: () => go("prev", -1),
    ArrowLeft: () => go("prev", -1),
    u: () => follow("a[rel=up]"),
    "/": () => {
      const field = document.querySelector("form.find input[type=search]");
      field.focus();
      field.select();
    },
    "?": showKeys,
    Escape: () => {
      const open = document.querySelectorAll("details.opinion[open]");
      if (open.length) for (const one of open) one.open = false;
      else document.activeElement?.blur();
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea");
    if (typing) {
      if (event.key === "Escape") typing.blur();
      return;
    }
    if (dialog?.open) {
      if (event.key === "?") showKeys();
      return;
    }
    // Arrows scroll what is focused and can be scrolled sideways.
    const scrolls = event.key.startsWith("Arrow") && event.target.closest?.(".scroll, .text");
    const action = /^[1-9]$/.test(event.key) ? () => choose(Number(event.key)) : actions[event.key];
    if (!action || scrolls) return;
    event.preventDefault();
    action();
  });
})();
