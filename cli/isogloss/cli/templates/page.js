"use strict";
(() => {
  const filters = document.getElementById("filters");
  if (filters) {
    const selects = [...filters.querySelectorAll("select")];
    const findings = document.querySelectorAll(".finding");
    const holders = document.querySelectorAll(".batch, .rule");
    const status = document.getElementById("shown");
    const apply = () => {
      const wanted = selects.filter((one) => one.value).map((one) => [one.dataset.filter, ` ${one.value} `]);
      let count = 0;
      for (const finding of findings) {
        const shown = wanted.every(([name, value]) => ` ${finding.dataset[name] ?? finding.closest(".rule").dataset[name]} `.includes(value));
        finding.hidden = !shown;
        count += shown;
      }
      for (const holder of holders) {
        holder.hidden = !holder.querySelector(".finding:not([hidden])");
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
    addEventListener("pageshow", () => selects.some((one) => one.value) && apply()); // a browser restores them
    filters.hidden = false;
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const holder = target && target.closest("details");
    if (holder) {
      holder.hidden = false;
      holder.closest(".batch")?.removeAttribute("hidden");
      holder.closest(".rule")?.removeAttribute("hidden");
      holder.setAttribute("open", "");
      holder.querySelector("summary").focus({ preventScroll: true });
      target.scrollIntoView({ block: "center" });
    }
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
