"use strict";
// The page of a study: charts in two themes, the slider's panel, sorting, copying, the page's age.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const views = {};
  const MOST_RELOADS = 6;

  // --- theme -------------------------------------------------------------------------------
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = (key, value) => {
    try {
      if (value === undefined) return sessionStorage.getItem(key);
      sessionStorage.setItem(key, value);
    } catch {
      // If the browser stores nothing, theme and position are forgotten; everything else works.
    }
    return null;
  };
  const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  if (["dark", "light"].includes(stored("theme"))) document.documentElement.dataset.theme = stored("theme");

  const config = (dark) => {
    const ink = dark ? "#e7ebef" : "#1b1f24", dim = dark ? "#a3aeb9" : "#56606b", line = dark ? "#343d47" : "#d5dbe1";
    const font = "system-ui, sans-serif", limit = 260;
    return {
      background: dark ? "#12161b" : "#fff",
      font,
      view: { stroke: line },
      axis: { labelColor: dim, titleColor: ink, gridColor: line, gridOpacity: 0.7, domainColor: dim, tickColor: dim, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 600, titleLimit: 2 * limit, labelLimit: limit },
      legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12, labelLimit: limit, titleLimit: limit },
      text: { color: ink },
      rule: { color: ink },
    };
  };

  // --- charts ------------------------------------------------------------------------------
  // On a dark page, colours are replaced by lighter ones, and shaded areas are more opaque.
  const LIGHTER = { "#0072B2": "#56B4E9", "#009E73": "#35C99B", "#D55E00": "#FF8F45", "#CC79A7": "#E8A8CC", "#8C8C8C": "#B4BDC6" };
  const inTheme = (spec, dark) => {
    const text = JSON.stringify(spec);
    if (!dark) return JSON.parse(text);
    const lighter = text.replace(/#[0-9A-F]{6}/g, (each) => LIGHTER[each] || each);
    return JSON.parse(lighter, (key, value) => (key === "fillOpacity" ? Math.min(1, 1.7 * value) : value));
  };
  const drawn = {};
  const around = {}; // pixels beside a chart's panels, in addition to those that the chart itself allows for
  async function draw(key) {
    const box = find(key);
    const width = box.clientWidth, dark = isDark();
    if (!width || drawn[key] === `${width} ${dark}`) return;
    drawn[key] = `${width} ${dark}`;
    await embed(key, box, width, dark);
    const svg = box.querySelector("svg"), excess = svg ? Math.ceil(svg.getBoundingClientRect().width - width) : 0;
    if (excess > 0 && data.charts[key].usermeta && data.charts[key].usermeta.panels) {
      around[key] = (around[key] || 0) + excess;
      await embed(key, box, width, dark);
    }
    if (key === "front") markBudget();
  }

  async function embed(key, box, width, dark) {
    const spec = fitted(inTheme(data.charts[key], dark), width, around[key] || 0);
    delete spec.background;
    if (views[key]) views[key].finalize();
    delete views[key];
    views[key] = await vegaEmbed(box, spec, { ast: true, renderer: "svg", actions: false, config: config(dark), tooltip: { theme: "custom" } });
    const svg = box.querySelector("svg"); // only the picture: the controls beside it keep their own labels
    svg.setAttribute("role", key === "front" ? "group" : "img");
    svg.setAttribute("aria-label", box.dataset.label);
    const numberOf = (item) => (key === "front" && item && item.datum && Number(item.datum.number)) || 0;
    views[key].view.addEventListener("click", (_, item) => numberOf(item) && chooseNumber(numberOf(item)));
    for (const node of svg.querySelectorAll("path[aria-roledescription=point]")) {
      const number = numberOf(node.__data__);
      if (!number) continue;
      Object.entries({ tabindex: 0, role: "button", "aria-label": `Show number ${number}` }).forEach(([name, value]) => node.setAttribute(name, value));
      node.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        chooseNumber(number);
      });
    }
  }

  // Panels share the width. If that makes them too narrow, they are placed one below the other.
  function fitted(spec, width, more) {
    if (spec.width === "container") spec.autosize = { type: "fit-x", contains: "padding" };
    spec.config.legend.columns = Math.max(1, Math.floor(width / 250));
    if (!spec.usermeta || !spec.usermeta.panels) return spec;
    let { columns, beside } = spec.usermeta.panels;
    const isNarrow = columns > 1 && (width - beside) / columns < 150;
    if (isNarrow) [columns, beside] = [1, beside / columns];
    const each = Math.max(90, Math.floor((width - beside - more) / columns));
    const widen = (part) => {
      if (typeof part.width === "number") part.width = each;
      if (isNarrow && part.hconcat) {
        part.concat = part.hconcat;
        part.columns = 1;
        delete part.hconcat;
      }
      for (const name of ["concat", "hconcat", "vconcat", "layer"]) (part[name] || []).forEach(widen);
    };
    widen(spec);
    return spec;
  }

  let drawing = Promise.resolve();
  const keys = Object.keys(data.charts);
  function drawAll() {
    drawing = drawing.then(async () => {
      for (const key of keys) {
        try {
          await draw(key);
        } catch (error) {
          delete drawn[key];
          find(key).textContent = "This chart could not be drawn.";
          console.error(`chart ${key}:`, error);
        }
        await new Promise((done) => setTimeout(done));
      }
    });
    return drawing;
  }

  let resizing = 0;
  addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(drawAll, 200);
  });
  system.addEventListener("change", drawAll);
  for (const fold of document.querySelectorAll("details.fold")) fold.addEventListener("toggle", drawAll);
  find("theme").addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    stored("theme", next);
    drawAll();
  });

  // --- the slider's panel --------------------------------------------------------------------
  const choices = data.choices, slider = find("slider");
  const fill = (list, lines) => {
    list.replaceChildren(...lines.flatMap(([label, text]) => {
      const term = document.createElement("dt"), said = document.createElement("dd");
      term.textContent = label;
      said.textContent = text;
      return [term, said];
    }));
  };
  let shown = null; // number of the point that is shown instead of the budget's answer
  let pinned = 0; // number of the point that the reader chose last; it stays marked

  function show() {
    const step = choices.steps[slider.value], byBudget = choices.answers[step.answer];
    const answer = shown === null ? byBudget : choices.answers.find((each) => each.number === shown);
    const isAnswer = answer === byBudget;
    find("budget").textContent = step.text;
    slider.setAttribute("aria-valuetext", step.text);
    find("headline").textContent = answer.measured;
    find("how").textContent = answer.how;
    const [brief, rest] = [[], []];
    const cost = [choices.label, isAnswer ? step.cost : answer.cost];
    for (const line of [...answer.before, cost, ...answer.after, ...(isAnswer ? [...step.passed_over, ...step.untested] : [])])
      (["θ", "expect", choices.label].includes(line[0]) ? brief : rest).push(line);
    fill(find("brief"), brief);
    fill(find("answer"), rest);
    find("play").textContent = answer.command || "defined in a script or notebook: play it from there";
    if (find("pick")) find("pick").textContent = data.pick + step.option;
    find("prospect").hidden = !step.prospect.text;
    find("untested").textContent = step.prospect.text || "";
    find("try").textContent = step.prospect.command || "";
    if (find("bound")) find("bound").textContent = isAnswer ? step.bound : "";
    find("note").textContent = isAnswer ? "" : `You chose number ${answer.number}. The answer within ${step.text} is ${named(byBudget)}.`;
    const later = choices.steps.slice(Number(slider.value) + 1).find((each) => each.answer !== step.answer);
    find("next").textContent = later ? `From ${later.text} on: ${named(choices.answers[later.answer])}.` : "No larger budget changes the answer.";
    for (const row of document.querySelectorAll("#validated tbody tr")) {
      row.classList.toggle("chosen", Number(row.dataset.number) === answer.number);
      row.classList.toggle("pinned", Number(row.dataset.number) === pinned);
    }
    markBudget(answer.number, step);
  }
  const named = (answer) => (answer.number ? `number ${answer.number}` : "an untested θ") + `, ${answer.goal} expected`;

  let marks = {}; // the values of the front chart's signals
  function markBudget(number, step) {
    if (step) marks = { budget: step.limit, prospect: step.prospect, chosen: number, pinned };
    if (!views.front || !choices) return;
    try {
      const view = views.front.view;
      for (const [name, value] of Object.entries(marks)) view.signal(name, value);
      view.run();
    } catch {
      // A chart without these signals shows no marks.
    }
  }

  function chooseNumber(number) {
    if (!choices) return;
    const steps = choices.steps, answers = choices.answers;
    const at = steps.findIndex((step) => answers[step.answer].number === number);
    if (at >= 0) slider.value = at;
    shown = pinned = number;
    show();
  }

  if (choices) {
    slider.addEventListener("input", () => {
      shown = null;
      show();
    });
  }

  // --- ranges of θ: lines outside a range are hidden ---------------------------------------------
  const strips = find("theta");
  const isNarrowed = () => strips !== null && strips.querySelector(".out") !== null;
  if (strips) {
    const lines = [...strips.querySelectorAll("polyline")].map((node) => [node, [...node.points].map((point) => point.x)]);
    const ranges = [...strips.querySelectorAll("fieldset")].map((each) => [...each.querySelectorAll("input")]);
    strips.addEventListener("input", () => {
      const ends = ranges.map((inputs) => inputs.map((each) => Number(each.value)).sort((a, b) => a - b));
      let left = 0;
      for (const [node, places] of lines) {
        const isOut = ends.some(([low, high], k) => places[k] < low || places[k] > high);
        if (node.classList.contains("out") !== isOut) node.classList.toggle("out", isOut);
        left += !isOut;
      }
      find("within").textContent = `${left} of ${lines.length} lines within the ranges`;
    });
  }

  // --- tables that sort ----------------------------------------------------------------------
  for (const table of document.querySelectorAll("table.sorts")) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      if (!button) return;
      button.addEventListener("click", () => {
        const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const value = (row) => row.cells[column].dataset.value;
        const rows = [...body.rows].sort((a, b) => {
          const [x, y] = [value(a), value(b)], [p, q] = [Number(x), Number(y)];
          const order = Number.isNaN(p) || Number.isNaN(q) ? x.localeCompare(y, undefined, { numeric: true }) : p - q;
          return sign * order;
        });
        body.append(...rows);
      });
    });
    body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (!row || getSelection().toString()) return;
      chooseNumber(Number(row.dataset.number));
      if (event.target.closest("button.number") && slider) {
        find("front-section").scrollIntoView();
        slider.focus({ preventScroll: true });
      }
    });
  }

  // --- copying -------------------------------------------------------------------------------
  let hiding = 0;
  function tell(text) {
    find("notice").textContent = text;
    find("notice").classList.add("shown");
    clearTimeout(hiding);
    hiding = setTimeout(() => find("notice").classList.remove("shown"), 2500);
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea"); // for pages opened from a file, or without permission to use the clipboard
      area.value = text;
      area.style.position = "fixed";
      area.style.opacity = "0";
      document.body.append(area);
      const before = document.activeElement;
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      if (before) before.focus({ preventScroll: true });
      return done;
    }
  }
  const copied = async (text) => tell((await copy(text)) ? "Copied" : "Not copied: select the text and copy it");
  for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copied(find(button.dataset.copy).textContent));
  if (find("copy-csv")) {
    find("copy-csv").addEventListener("click", () => copied(data.csv));
    find("save-csv").addEventListener("click", () => save("front.csv", URL.createObjectURL(new Blob([data.csv], { type: "text/csv" }))));
  }

  // --- saving charts and tables ----------------------------------------------------------------
  function save(name, address) {
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
  }
  const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
  for (const button of document.querySelectorAll("[data-save]")) {
    const { save: kind, of: key } = button.dataset;
    button.addEventListener("click", async () => {
      if (kind !== "csv") return save(`${data.name}-${key}.${kind}`, await views[key].view.toImageURL(kind, 2));
      const table = button.parentElement.previousElementSibling.querySelector("table");
      const rows = [...table.rows].map((row) => [...row.cells].map((cell) => quoted(cell.textContent)).join(","));
      return save(`${data.name}-table.csv`, URL.createObjectURL(new Blob([rows.join("\n")], { type: "text/csv" })));
    });
  }

  // --- replays -------------------------------------------------------------------------------
  for (const replay of data.replays) {
    const box = find("replays").appendChild(document.createElement("div"));
    thetafrontReplay(box, replay);
  }

  // --- age of the page, and reloading while a sweep runs ---------------------------------------------
  function age() {
    const seconds = Math.max(0, Date.now() / 1000 - data.made);
    const [n, unit] = seconds < 90 ? [seconds, "second"] : seconds < 5400 ? [seconds / 60, "minute"] : seconds < 129600 ? [seconds / 3600, "hour"] : [seconds / 86400, "day"];
    const whole = Math.round(n);
    find("age").textContent = `, ${whole.toLocaleString("en")} ${unit}${whole === 1 ? "" : "s"} ago${data.reload === null || isFollowed ? "" : "; the page is no longer updated"}`;
  }
  const place = `place of ${data.name}`;
  const before = JSON.parse(stored(place) || "null");
  // The number of reloads that found the same page. Each doubles the wait; after MOST_RELOADS of them, reloading ends.
  const same = before && before.made === data.made ? before.same + 1 : 0;
  const isFollowed = data.reload !== null && same <= MOST_RELOADS;
  const tables = [...document.querySelectorAll("details")];
  const nameOf = (details) => tables.indexOf(details);
  const identity = (answer) => answer.command || answer.number; // numbers may shift as points are added
  age();
  setInterval(age, 5000);
  if (before) for (const each of tables) each.open = before.open.includes(nameOf(each));
  if (choices) {
    if (before) {
      const step = choices.steps.findIndex((each) => each.limit >= before.limit);
      slider.value = step < 0 ? choices.steps.length - 1 : step;
      const chosen = choices.answers.find((each) => each.number && identity(each) === before.chosen);
      if (chosen) shown = pinned = chosen.number;
    }
    show();
  }
  drawAll().then(() => {
    if (data.reload !== null && before) scrollTo(0, before.y);
    document.documentElement.dataset.ready = "yes";
  });

  let isPressed = false;
  for (const name of ["pointerdown", "pointerup", "pointercancel"]) addEventListener(name, () => (isPressed = name === "pointerdown"), true);
  const isUsed = () => isPressed || document.activeElement.matches("input, select") || isNarrowed();

  if (isFollowed) {
    const due = Date.now() + 1000 * data.reload * 2 ** same;
    setInterval(() => {
      if (document.hidden || Date.now() < due || isUsed()) return;
      const chosen = shown === null ? null : choices.answers.find((each) => each.number === shown);
      stored(place, JSON.stringify({
        y: scrollY,
        limit: choices ? choices.steps[slider.value].limit : 0,
        chosen: chosen ? identity(chosen) : null,
        open: tables.filter((each) => each.open).map(nameOf),
        made: data.made,
        same,
      }));
      location.reload();
    }, Math.min(1000, 1000 * data.reload));
  }
})();
