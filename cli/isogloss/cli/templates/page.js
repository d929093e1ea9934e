"use strict";
(() => {
  const filters = document.getElementById("filters");
  if (filters) {
    const selects = [...filters.querySelectorAll("select")];
    const findings = [...document.querySelectorAll(".finding")].map((element) => {
      const words = {};
      for (const select of selects) {
        words[select.dataset.filter] = ` ${element.dataset[select.dataset.filter]} `;
      }
      return { element, words };
    });
    const rules = [...document.querySelectorAll(".rule")];
    const status = document.getElementById("shown");
    const apply = () => {
      const wanted = selects.filter((one) => one.value).map((one) => [one.dataset.filter, ` ${one.value} `]);
      let count = 0;
      for (const { element, words } of findings) {
        const shown = wanted.every(([name, value]) => words[name].includes(value));
        element.hidden = !shown;
        count += shown;
      }
      for (const rule of rules) {
        rule.hidden = !rule.querySelector(".finding:not([hidden])");
      }
      status.textContent = `${count} of ${status.dataset.all} shown`;
    };
    filters.addEventListener("change", apply);
    document.getElementById("reset").addEventListener("click", () => {
      for (const select of selects) {
        select.value = "";
      }
      apply();
    });
    filters.hidden = false;
    apply();
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const holder = target && target.closest("details");
    if (holder) {
      holder.hidden = false;
      holder.closest(".rule")?.removeAttribute("hidden");
      holder.setAttribute("open", "");
      holder.querySelector("summary").focus({ preventScroll: true });
      target.scrollIntoView({ block: "center" });
    }
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
