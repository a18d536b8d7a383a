// Shows a recorded game step by step; data.steps has a column for each thing that is shown.
//
// thetafrontReplay(element, data) fills an empty element with a player of the game.
(() => {
  "use strict";

  const whole = (value) => Number(value).toLocaleString("en-US");
  const counted = (n, noun) => `${whole(n)} ${noun}${Math.abs(n) === 1 ? "" : "s"}`;

  const SIDES = ["up", "right", "down", "left"];
  const DIRECTIONS = ["north", "east", "south", "west"];
  const NONE = 4;

  function stepsOf(columns) {
    const names = Object.keys(columns);
    return columns.score.map((_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  }

  // Drawing ---------------------------------------------------------------------------------------

  function made(parent, name, className = "", text = "") {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text) node.textContent = text;
    parent.append(node);
    return node;
  }

  function drawn(parent, name, attributes = {}) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    parent.append(node);
    return node;
  }

  // Each of the following has show(step, number), which draws a position, and says(step), which describes it.

  function board2048(stage) {
    const board = made(stage, "div", "tf-board");
    const tiles = Array.from({ length: 16 }, () => made(board, "div", "tf-tile"));
    const faces = (cells) => Array.from(cells, (digit) => (digit === "0" ? "" : String(2 ** parseInt(digit, 16))));
    return {
      noun: "move",
      show(step) {
        faces(step.cells).forEach((face, cell) => {
          const tile = tiles[cell];
          tile.textContent = face;
          tile.dataset.e = parseInt(step.cells[cell], 16);
          tile.dataset.digits = face.length;
          tile.classList.toggle("tf-new", cell === step.spawned);
        });
      },
      says: (step) => (step.action < 0 ? "the start" : `slid ${SIDES[step.action]}`),
      picture(step) {
        const named = faces(step.cells).map((face) => face || "empty");
        return [0, 4, 8, 12].map((row) => named.slice(row, row + 4).join(", ")).join("; ");
      },
    };
  }

  function mazePacman(stage, data, first) {
    const [width, height] = [data.rows[0].length, data.rows.length];
    const svg = drawn(stage, "svg", { class: "tf-maze", viewBox: `0 0 ${width} ${height}` });
    svg.setAttribute("aria-hidden", "true");
    const middle = (x, y) => [x + 0.5, height - y - 0.5]; // (0, 0) is at the bottom left
    data.rows.forEach((row, y) =>
      Array.from(row, (sign, x) => {
        if (sign === "%") drawn(svg, "rect", { class: "tf-wall", x, y, width: 1, height: 1 });
      }),
    );
    const left = data.morsels.map(([x, y, isCapsule, turn]) => {
      const [cx, cy] = middle(x, y);
      const kind = isCapsule ? { class: "tf-capsule", r: 0.27 } : { class: "tf-food", r: 0.11 };
      return { turn: turn ?? Infinity, node: drawn(svg, "circle", { ...kind, cx, cy }) };
    });
    const pacman = drawn(svg, "path", { class: "tf-pacman", d: "M0 0L.34 -.26A.43 .43 0 1 0 .34 .26Z" });
    const ghosts = first.ghosts.map(() => {
      const group = drawn(svg, "g", { class: "tf-ghost" });
      drawn(group, "path", {
        d: "M-.38 .42V-.05A.38 .38 0 0 1 .38 -.05V.42L.19 .26L0 .42L-.19 .26Z",
      });
      for (const cx of [-0.15, 0.15]) drawn(group, "circle", { class: "tf-eye", cx, cy: -0.07, r: 0.08 });
      return group;
    });
    const turned = [-90, 0, 90, 180, 0];
    const ends = { won: "won: no food is left", lost: "lost to a ghost", cut: "stopped at the maximum number of steps" };
    return {
      noun: "turn",
      show(step, number) {
        for (const each of left) each.node.toggleAttribute("hidden", each.turn <= number);
        const at = middle(step.x, step.y).join(" ");
        pacman.setAttribute("transform", `translate(${at}) rotate(${turned[step.moved]})`);
        step.ghosts.forEach(([x, y, isScared], i) => {
          ghosts[i].setAttribute("transform", `translate(${middle(x / 2, y / 2).join(" ")})`);
          ghosts[i].classList.toggle("tf-scared", Boolean(isScared));
        });
      },
      says(step) {
        if (step.outcome !== "running") return ends[step.outcome];
        const chosen = step.action === NONE ? "stopped" : `chose ${DIRECTIONS[step.action]}`;
        const slip = step.moved === step.action ? "" : `, slipped ${DIRECTIONS[step.moved]}`;
        return `${chosen}${slip} · ${whole(step.n_food)} food left`;
      },
      picture(step) {
        const places = step.ghosts.map(
          ([x, y, isScared], i) => `ghost ${i + 1} at ${x / 2}, ${y / 2}${isScared ? ", scared" : ""}`,
        );
        return [`Pacman at ${step.x}, ${step.y}`, ...places, `${step.n_food} food left`].join("; ");
      },
    };
  }

  const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

  function diceTable(stage, data, first) {
    const table = made(stage, "div", "tf-dice");
    const dice = first.dice.map(() => {
      const figure = made(table, "div", "tf-die");
      const svg = drawn(figure, "svg", { viewBox: "0 0 10 10", "aria-hidden": "true" });
      return { figure, svg, label: made(figure, "span", "tf-die-label") };
    });
    const last = data.steps.score.length - 1;
    const kept = (step) => step.dice.filter(([, isKept]) => isKept).map(([face]) => face);
    return {
      noun: "roll",
      show(step, number) {
        const isEnd = number === last;
        step.dice.forEach(([value, isMarked], i) => {
          const { figure, svg, label } = dice[i];
          svg.replaceChildren();
          drawn(svg, "rect", { x: 0.4, y: 0.4, width: 9.2, height: 9.2, rx: 1.6 });
          if (data.sides <= 6) {
            for (const place of PIPS[value]) {
              const [column, row] = [place % 3, Math.floor(place / 3)];
              drawn(svg, "circle", { cx: 2.5 + 2.5 * column, cy: 2.5 + 2.5 * row, r: 0.9 });
            }
          } else {
            drawn(svg, "text", { x: 5, y: 6.4 }).textContent = String(value);
          }
          figure.classList.toggle("tf-kept", isEnd || Boolean(isMarked));
          const words = isEnd ? ["stays", "flipped"] : ["rolled again", "held"];
          label.textContent = words[isMarked];
        });
      },
      says(step, number) {
        if (number === last) return "stopped: equal dice are flipped, and all faces are added up";
        const held = kept(step);
        if (held.length === step.dice.length) return "holds all, which ends the game";
        return held.length ? `holds ${held.join(", ")}; rolls the others` : "rolls all again";
      },
      picture: (step) => step.dice.map(([face]) => face).join(", "),
    };
  }

  const DRAWINGS = { 2048: board2048, pacman: mazePacman, dice: diceTable };
  const SPEEDS = [1, 2, 8, 30, 120];
  const FIRST_SPEED = { 2048: 30, pacman: 8, dice: 1 };

  function thetafrontReplay(element, data) {
    const root = made(element, "div", "tf-replay");
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", `Replay of a game: ${data.label}, seed ${data.seed}`);
    const title = made(root, "p", "tf-replay-title");
    made(title, "strong", "", String(data.label));
    title.append(` · seed ${data.seed}`);
    const steps = stepsOf(data.steps);
    const last = steps.length - 1;
    const stage = made(root, "div", "tf-stage");
    stage.setAttribute("role", "img");
    const drawing = DRAWINGS[data.game](stage, data, steps[0]);
    const status = made(root, "p", "tf-status");
    const slider = made(root, "input", "tf-slider");
    Object.assign(slider, { type: "range", min: 0, max: last, step: 1, value: last });
    slider.setAttribute("aria-label", `${drawing.noun} of the game`);
    const controls = made(root, "div", "tf-controls");
    const button = (text, label, act) => {
      const node = made(controls, "button", "", text);
      node.type = "button";
      node.setAttribute("aria-label", label);
      node.addEventListener("click", act);
      return node;
    };

    let at = last;
    let frame = 0;
    let speed = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : FIRST_SPEED[data.game];

    function show(number) {
      at = Math.max(0, Math.min(last, number));
      const step = steps[at];
      drawing.show(step, at);
      const n = data.game === "dice" ? last : whole(last);
      const place = data.game === "dice" && at === last ? `end, after ${counted(n, drawing.noun)}` : `${drawing.noun} ${whole(at + (data.game === "dice"))} of ${n}`;
      const line = `${place} · ${counted(step.score, "point")} · ${drawing.says(step, at)}`;
      status.textContent = line;
      slider.value = at;
      slider.setAttribute("aria-valuetext", line);
      if (!frame) stage.setAttribute("aria-label", `${line}. ${drawing.picture(step)}`);
    }

    function pause() {
      cancelAnimationFrame(frame);
      frame = 0;
      play.textContent = "Play";
      play.setAttribute("aria-label", "Play");
      status.setAttribute("aria-live", "polite");
      show(at);
    }

    function start() {
      if (frame) return;
      status.setAttribute("aria-live", "off"); // otherwise a screen reader would announce each move
      play.textContent = "Pause";
      play.setAttribute("aria-label", "Pause");
      let shown = performance.now();
      const tick = (now) => {
        const due = Math.floor(((now - shown) * speed) / 1000);
        if (due > 0) {
          shown += (1000 * due) / speed;
          show(at + due);
        }
        if (at === last) pause();
        else frame = requestAnimationFrame(tick);
      };
      frame = requestAnimationFrame(tick);
      if (at === last) show(0);
    }

    const toggle = () => (frame ? pause() : start());
    const go = (number) => {
      if (frame) pause();
      show(number);
    };

    button("First", "First position", () => go(0));
    button("Back", "One back", () => go(at - 1));
    const play = button("Play", "Play", toggle);
    button("Next", "One forward", () => go(at + 1));
    button("Last", "Last position", () => go(last));
    const pace = made(controls, "label", "tf-speed");
    const select = made(pace, "select");
    pace.append(` ${drawing.noun}s per second`);
    for (const each of SPEEDS) {
      const option = made(select, "option", "", String(each));
      option.value = each;
    }
    select.value = speed;
    select.addEventListener("change", () => { speed = Number(select.value); });
    slider.addEventListener("input", () => go(Number(slider.value)));

    root.tabIndex = 0;
    root.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.target === select) return;
      const isSpace = event.key === " ";
      if (isSpace && event.target.tagName === "BUTTON") return; // the space key presses the button
      const jump = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
      if (isSpace) toggle();
      else if (Object.hasOwn(jump, event.key)) go(jump[event.key]);
      else return;
      event.preventDefault();
    });
    // With a finger or mouse on the picture: a tap plays or pauses, a swipe to a side moves by one step.
    let begun = null;
    stage.addEventListener("pointerdown", (event) => { begun = event.clientX; });
    stage.addEventListener("pointerup", (event) => {
      const stroke = begun === null ? 0 : event.clientX - begun;
      begun = null;
      if (Math.abs(stroke) > 30) go(at + (stroke < 0 ? 1 : -1));
      else toggle();
    });

    made(root, "p", "tf-verdict", `✓ Played ${data.note ? "" : "again "}for this page: ${counted(data.score, "point")}${data.note ? "" : ", as stored"}.`);
    if (data.note) made(root, "p", "tf-note", String(data.note));
    pause();
  }

  window.thetafrontReplay = thetafrontReplay;
})();
