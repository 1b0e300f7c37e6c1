import subprocess
import sys

import pytest

from gamut_eval.errors import MissingExtraError
from gamut_eval.extras import needed

MODULES = "bootstrap paired ranks agreement variance power length table kappa".split()


def test_a_missing_package_names_the_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.delitem(sys.modules, "scipy.special", raising=False)
    with pytest.raises(MissingExtraError, match=r'BCa needs SciPy.*pip install "gamut-eval\[stats\]"'):
        needed("scipy.special", "BCa")


def test_a_module_that_its_package_misses_is_another_error():
    with pytest.raises(ModuleNotFoundError, match="no_such_part"):
        needed("json.no_such_part", "this")


def test_the_extras_are_imported_only_when_they_are_needed():
    imports = "".join(f"import gamut_eval.stats.{name};" for name in MODULES)
    work = "from gamut_eval.stats.bootstrap import bootstrap_mean; bootstrap_mean([0.1, 0.5, 0.2]);"
    asked = "import sys; print([m for m in ('scipy', 'statsmodels', 'krippendorff', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", imports + work + asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "call",
    [
        "from gamut_eval.stats.bootstrap import bootstrap_mean as f; f([0.1, 0.5, 0.2], method='BCa')",
        "from gamut_eval.stats.paired import holm as f; f([0.1, 0.5])",
        "from gamut_eval.stats.ranks import rank_agreement as f; f({'a': 1, 'b': 2}, {'a': 1, 'b': 2})",
        "from gamut_eval.stats.agreement import weighted_kappa as f; f(['meets', 'missing'], ['meets', 'meets'])",
        "from gamut_eval.stats.agreement import krippendorff_alpha as f; f(['ab', 'ab'])",
        "from gamut_eval.stats.power import questions_needed as f; f(0.1, 1)",
    ],
)
def test_without_the_extra_each_that_needs_it_says_so(call, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] in ("scipy", "statsmodels", "krippendorff")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("scipy", "statsmodels", "krippendorff"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"gamut-eval\[stats\]"):
        exec(call, {})  # noqa: S102 (our own text)
