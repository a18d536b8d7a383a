// A recorded game, played again by the rules. A record has actions and outcomes of chance only;
// positions and points are computed here, from the rules of engine/twenty48, engine/pacman and
// engine/dice.py. No agent decides anything here.
//
// thetafrontRecompute(data) -> {score, steps, agrees, error}: all positions, with the points so far.
//   `agrees` says whether the score is that on record; `error` what is against the rules, if so.
// thetafrontReplay(element, data): fills an empty element with a player of that game.
(() => {
  "use strict";

  function demand(condition, message) {
    if (!condition) throw new RangeError(message);
  }

  const whole = (value) => Number(value).toLocaleString("en-US");
  const counted = (n, noun) => `${whole(n)} ${noun}${Math.abs(n) === 1 ? "" : "s"}`;

  // 2048 ------------------------------------------------------------------------------------------

  const SIDES = ["up", "right", "down", "left"];
  const SPAWNS = "0123456789abcdefghijklmnopqrstuv"; // twice the cell, and one more for a 4
  const LARGEST_EXPONENT = 15; // two tiles of 32768 do not merge
  // By action, four lines of cells, each from the side that tiles slide to.
  const LINES = SIDES.map((_, action) =>
    [0, 1, 2, 3].map((line) =>
      [0, 1, 2, 3].map((place) => {
        const along = action === 1 || action === 2 ? 3 - place : place;
        return action % 2 ? 4 * line + along : 4 * along + line;
      }),
    ),
  );

  function slide(cells, action, cascade) {
    const after = new Array(16).fill(0);
    let reward = 0;
    for (const line of LINES[action]) {
      const merged = [];
      let n = 0; // tiles of the line so far
      for (const cell of line) {
        const exponent = cells[cell];
        if (!exponent) continue;
        const before = n ? after[line[n - 1]] : 0;
        if (before === exponent && exponent < LARGEST_EXPONENT && (cascade || !merged[n - 1])) {
          after[line[n - 1]] = exponent + 1;
          merged[n - 1] = true;
          reward += 2 ** (exponent + 1);
        } else {
          after[line[n]] = exponent;
          n += 1;
        }
      }
    }
    return { after, reward, moved: after.some((exponent, cell) => exponent !== cells[cell]) };
  }

  function recompute2048(data) {
    const cascade = data.rule === "cascade";
    demand(cascade || data.rule === "common", `rule: ${data.rule} given`);
    let cells = Array.from(data.start, (digit) => parseInt(digit, 16));
    const tiles = cells.filter((exponent) => exponent !== 0);
    demand(cells.length === 16 && tiles.length === 2, "a game starts with two tiles");
    demand(tiles.every((exponent) => exponent === 1 || exponent === 2), "they are 2 or 4");
    demand(data.actions.length === data.spawns.length, "each action has a spawn");
    const steps = [{ cells, score: 0, action: -1, spawned: -1 }];
    let score = 0;
    for (let move = 0; move < data.actions.length; move += 1) {
      const action = Number(data.actions[move]);
      demand(action in SIDES, `move ${move + 1}: there is no action ${data.actions[move]}`);
      const { after, reward, moved } = slide(cells, action, cascade);
      demand(moved, `move ${move + 1}: no tile moves ${SIDES[action]}`);
      const spawn = SPAWNS.indexOf(data.spawns[move]);
      const spawned = spawn >> 1;
      demand(spawn >= 0 && after[spawned] === 0, `move ${move + 1}: no empty cell for the spawn`);
      after[spawned] = 1 + (spawn & 1);
      cells = after;
      score += reward;
      steps.push({ cells, score, action, spawned });
    }
    const over = SIDES.every((_, action) => !slide(cells, action, cascade).moved);
    demand(over, "the game is not over at the end of the record");
    return { score, steps };
  }

  // Pacman ----------------------------------------------------------------------------------------

  const DIRECTIONS = ["north", "east", "south", "west"];
  const DX = [0, 1, 0, -1, 0];
  const DY = [1, 0, -1, 0, 0];
  const NONE = 4;
  const [STEP, FOOD, WIN, LOSS, GHOST, SCARED] = [-1, 10, 500, -500, 200, 40];
  const GHOST_ORDER = { G: 1, 1: 1, 2: 2, 3: 3, 4: 4 };

  function mazeOf(rows) {
    const height = rows.length;
    const maze = { width: rows[0].length, height, food: [], capsules: [], ghosts: [], pacman: null };
    maze.isWall = (x, y) => rows[height - 1 - y][x] === "%"; // (0, 0) is at the bottom left
    maze.index = (x, y) => x * height + y;
    const found = [];
    rows.forEach((row, line) =>
      Array.from(row, (sign, x) => {
        const y = height - 1 - line;
        if (sign === ".") maze.food.push([x, y]);
        if (sign === "o") maze.capsules.push([x, y]);
        if (sign === "P") maze.pacman = [x, y];
        if (sign in GHOST_ORDER) found.push([GHOST_ORDER[sign], x, y]);
      }),
    );
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    maze.ghosts = found.map(([, x, y]) => [x, y]);
    return maze;
  }

  function recomputePacman(data) {
    const maze = mazeOf(data.rows);
    const food = new Set(maze.food.map(([x, y]) => maze.index(x, y)));
    const capsules = new Set(maze.capsules.map(([x, y]) => maze.index(x, y)));
    const eaten = new Map(); // by cell, the number of the turn
    const restarted = ([x, y]) => ({ x: 2 * x, y: 2 * y, direction: NONE, timer: 0 });
    const ghosts = maze.ghosts.map(restarted); // in half cells
    let [x, y] = maze.pacman;
    let [score, outcome] = [0, "running"];
    const n = data.actions.length;
    demand(data.moves.length === n, "each action has a move");
    demand(data.ghosts.length === n * ghosts.length, "each ghost has a direction in each turn");
    const seen = (action, moved) => ({
      x, y, action, moved, score, outcome, nFood: food.size,
      ghosts: ghosts.map((each) => ({ ...each })),
    });
    const steps = [seen(NONE, NONE)];

    function touch(ghost, i) {
      if (Math.abs(ghost.x - 2 * x) + Math.abs(ghost.y - 2 * y) > 1) return 0;
      if (ghost.timer > 0) {
        Object.assign(ghost, restarted(maze.ghosts[i]));
        return GHOST;
      }
      if (outcome === "won") return 0;
      outcome = "lost";
      return LOSS;
    }

    function move(ghost, direction, turn) {
      const between = (ghost.x | ghost.y) & 1;
      if (between) {
        demand(direction === ghost.direction, `turn ${turn}: a ghost turned between two cells`);
      } else {
        const open = [0, 1, 2, 3].filter(
          (each) => !maze.isWall(ghost.x / 2 + DX[each], ghost.y / 2 + DY[each]),
        );
        const back = ghost.direction === NONE ? NONE : (ghost.direction + 2) & 3;
        const onward = open.filter((each) => each !== back);
        const allowed = onward.length ? onward : open;
        const fits = allowed.length ? allowed.includes(direction) : direction === NONE;
        demand(fits, `turn ${turn}: a ghost went where it may not`);
      }
      const halfCells = ghost.timer > 0 ? 1 : 2;
      ghost.direction = direction;
      ghost.x += halfCells * DX[direction];
      ghost.y += halfCells * DY[direction];
      if (ghost.timer > 0) {
        ghost.timer -= 1;
        if (ghost.timer === 0) {
          ghost.x += ghost.x & 1;
          ghost.y += ghost.y & 1;
        }
      }
    }

    for (let turn = 1; turn <= n; turn += 1) {
      demand(outcome === "running", `turn ${turn}: the game was over`);
      const action = Number(data.actions[turn - 1]);
      const moved = Number(data.moves[turn - 1]);
      const sides = action === NONE ? [NONE] : [action, (action + 1) & 3, (action + 3) & 3];
      demand(action >= 0 && action <= NONE && sides.includes(moved), `turn ${turn}: no such move`);
      if (!maze.isWall(x + DX[moved], y + DY[moved])) [x, y] = [x + DX[moved], y + DY[moved]];
      let reward = STEP;
      const cell = maze.index(x, y);
      if (food.delete(cell)) {
        eaten.set(cell, turn);
        reward += FOOD;
        if (!food.size) {
          reward += WIN;
          outcome = "won";
        }
      } else if (capsules.delete(cell)) {
        eaten.set(cell, turn);
        for (const ghost of ghosts) ghost.timer = SCARED;
      }
      ghosts.forEach((ghost, i) => { reward += touch(ghost, i); });
      ghosts.forEach((ghost, i) => {
        if (outcome !== "running") return;
        move(ghost, Number(data.ghosts[(turn - 1) * ghosts.length + i]), turn);
        reward += touch(ghost, i);
      });
      score += reward;
      if (outcome === "running" && turn >= data.most_steps) outcome = "cut";
      steps.push(seen(action, moved));
    }
    demand(outcome !== "running", "the game is not over at the end of the record");
    demand(outcome === data.outcome, `the game is ${outcome}, and ${data.outcome} on record`);
    return { score, steps, maze, eaten };
  }

  // Dice ------------------------------------------------------------------------------------------

  const ascending = (faces) => [...faces].sort((a, b) => a - b);

  function recomputeDice(data) {
    const n = data.rolls[0].length;
    demand(data.rolls.length === data.held.length, "each roll has a decision");
    const steps = [];
    let held = [];
    let dice = [];
    data.rolls.forEach((rolled, k) => {
      demand(rolled.length === n - held.length, `roll ${k + 1}: ${rolled.length} dice rolled`);
      const faces = rolled.every((face) => Number.isInteger(face) && face >= 1 && face <= data.sides);
      demand(faces, `roll ${k + 1}: there is no such face`);
      const hand = ascending([...held, ...rolled]);
      held = ascending(data.held[k]);
      const left = [...held];
      dice = hand.map((face) => {
        const kept = left.indexOf(face) >= 0;
        if (kept) left.splice(left.indexOf(face), 1);
        return { face, kept };
      });
      demand(!left.length, `roll ${k + 1}: a face is held that was not rolled`);
      const sticks = held.length === n;
      demand(sticks === (k === data.rolls.length - 1), `roll ${k + 1}: holding all ends the game`);
      steps.push({ dice, score: -k || 0, end: false });
    });
    const shown = dice.map((each) => each.face);
    const twice = (face) => shown.filter((each) => each === face).length > 1;
    const last = shown.map((face) => (twice(face) ? data.sides + 1 - face : face));
    const score = last.reduce((a, b) => a + b, 0) - (data.rolls.length - 1); // a point a new roll
    const flipped = last.map((face, i) => ({ face, kept: true, flipped: twice(shown[i]) }));
    steps.push({ dice: flipped, score, end: true });
    return { score, steps };
  }

  const RULES = { 2048: recompute2048, pacman: recomputePacman, dice: recomputeDice };

  function thetafrontRecompute(data) {
    try {
      demand(Object.hasOwn(RULES, data.game), `there are no rules of ${data.game}`);
      const found = RULES[data.game](data);
      return { ...found, agrees: found.score === data.score, error: "" };
    } catch (error) {
      return { score: null, steps: [], agrees: false, error: String(error.message) };
    }
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

  // Each has show(step, number), which draws a position, and says(step), which puts it in words.

  function board2048(stage) {
    const board = made(stage, "div", "tf-board");
    const tiles = Array.from({ length: 16 }, () => made(board, "div", "tf-tile"));
    const faces = (cells) => cells.map((exponent) => (exponent ? String(2 ** exponent) : ""));
    return {
      noun: "move",
      show(step) {
        faces(step.cells).forEach((face, cell) => {
          const tile = tiles[cell];
          tile.textContent = face;
          tile.dataset.e = step.cells[cell];
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

  function mazePacman(stage, result) {
    const { maze, eaten } = result;
    const svg = drawn(stage, "svg", { class: "tf-maze", viewBox: `0 0 ${maze.width} ${maze.height}` });
    svg.setAttribute("aria-hidden", "true");
    const middle = (x, y) => [x + 0.5, maze.height - y - 0.5];
    for (let x = 0; x < maze.width; x += 1) {
      for (let y = 0; y < maze.height; y += 1) {
        if (!maze.isWall(x, y)) continue;
        drawn(svg, "rect", { class: "tf-wall", x, y: maze.height - 1 - y, width: 1, height: 1 });
      }
    }
    const morsels = [...maze.food.map((at) => [at, "tf-food", 0.11]),
      ...maze.capsules.map((at) => [at, "tf-capsule", 0.27])];
    const left = morsels.map(([[x, y], className, r]) => {
      const [cx, cy] = middle(x, y);
      const turn = eaten.get(maze.index(x, y)) ?? Infinity;
      return { turn, node: drawn(svg, "circle", { class: className, cx, cy, r }) };
    });
    const pacman = drawn(svg, "path", { class: "tf-pacman", d: "M0 0L.34 -.26A.43 .43 0 1 0 .34 .26Z" });
    const ghosts = maze.ghosts.map(() => {
      const group = drawn(svg, "g", { class: "tf-ghost" });
      drawn(group, "path", {
        d: "M-.38 .42V-.05A.38 .38 0 0 1 .38 -.05V.42L.19 .26L0 .42L-.19 .26Z",
      });
      for (const cx of [-0.15, 0.15]) drawn(group, "circle", { class: "tf-eye", cx, cy: -0.07, r: 0.08 });
      return group;
    });
    const turned = [-90, 0, 90, 180, 0];
    const ends = { won: "won: no food is left", lost: "lost to a ghost", cut: "cut at the most steps" };
    return {
      noun: "turn",
      show(step, number) {
        for (const each of left) each.node.toggleAttribute("hidden", each.turn <= number);
        const at = middle(step.x, step.y).join(" ");
        pacman.setAttribute("transform", `translate(${at}) rotate(${turned[step.moved]})`);
        step.ghosts.forEach((ghost, i) => {
          const place = middle(ghost.x / 2, ghost.y / 2).join(" ");
          ghosts[i].setAttribute("transform", `translate(${place})`);
          ghosts[i].classList.toggle("tf-scared", ghost.timer > 0);
        });
      },
      says(step) {
        if (step.outcome !== "running") return ends[step.outcome];
        const chosen = step.action === NONE ? "stopped" : `chose ${DIRECTIONS[step.action]}`;
        const slip = step.moved === step.action ? "" : `, slipped ${DIRECTIONS[step.moved]}`;
        return `${chosen}${slip} · ${whole(step.nFood)} food left`;
      },
      picture(step) {
        const places = step.ghosts.map((ghost, i) => {
          const scared = ghost.timer > 0 ? ", scared" : "";
          return `ghost ${i + 1} at ${ghost.x / 2}, ${ghost.y / 2}${scared}`;
        });
        return [`Pacman at ${step.x}, ${step.y}`, ...places, `${step.nFood} food left`].join("; ");
      },
    };
  }

  const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

  function diceTable(stage, result, data) {
    const table = made(stage, "div", "tf-dice");
    const dice = result.steps[0].dice.map(() => {
      const figure = made(table, "div", "tf-die");
      const svg = drawn(figure, "svg", { viewBox: "0 0 10 10", "aria-hidden": "true" });
      return { figure, svg, label: made(figure, "span", "tf-die-label") };
    });
    const kept = (step) => step.dice.filter((each) => each.kept).map((each) => each.face);
    return {
      noun: "roll",
      show(step) {
        step.dice.forEach((each, i) => {
          const { figure, svg, label } = dice[i];
          svg.replaceChildren();
          drawn(svg, "rect", { x: 0.4, y: 0.4, width: 9.2, height: 9.2, rx: 1.6 });
          if (data.sides <= 6) {
            for (const place of PIPS[each.face]) {
              const [column, row] = [place % 3, Math.floor(place / 3)];
              drawn(svg, "circle", { cx: 2.5 + 2.5 * column, cy: 2.5 + 2.5 * row, r: 0.9 });
            }
          } else {
            drawn(svg, "text", { x: 5, y: 6.4 }).textContent = String(each.face);
          }
          figure.classList.toggle("tf-kept", each.kept);
          const word = each.kept ? "held" : "rolled again";
          label.textContent = step.end ? (each.flipped ? "flipped" : "stays") : word;
        });
      },
      says(step) {
        if (step.end) return "stuck: equal dice are flipped, and faces are added up";
        const held = kept(step);
        if (held.length === step.dice.length) return "holds all, which ends the game";
        return held.length ? `holds ${held.join(", ")}; rolls the others` : "rolls all again";
      },
      picture: (step) => step.dice.map((each) => each.face).join(", "),
    };
  }

  const DRAWINGS = { 2048: board2048, pacman: mazePacman, dice: diceTable };
  const SPEEDS = [1, 2, 8, 30, 120];
  const FIRST_SPEED = { 2048: 30, pacman: 8, dice: 1 };

  function thetafrontReplay(element, data) {
    const result = thetafrontRecompute(data);
    const root = made(element, "div", "tf-replay");
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", `Replay of a game: ${data.label}, seed ${data.seed}`);
    const title = made(root, "p", "tf-replay-title");
    made(title, "strong", "", String(data.label));
    title.append(` · seed ${data.seed}`);
    const verdict = (text) => {
      const line = made(root, "p", "tf-verdict", text);
      line.dataset.agrees = String(result.agrees);
      if (data.note) made(root, "p", "tf-note", String(data.note));
    };
    const onRecord = `${counted(data.score, "point")} on record`;
    if (result.error) {
      verdict(`✗ The record is against the rules: ${result.error}; ${onRecord}.`);
      return null;
    }
    const { steps } = result;
    const last = steps.length - 1;
    const stage = made(root, "div", "tf-stage");
    stage.setAttribute("role", "img");
    const drawing = DRAWINGS[data.game](stage, result, data);
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
      const place = data.game === "dice" && step.end ? "end" : `${drawing.noun} ${whole(at + (data.game === "dice"))}`;
      const n = data.game === "dice" ? last : whole(last);
      const line = `${place} of ${n} · ${counted(step.score, "point")} · ${drawing.says(step)}`;
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
      status.setAttribute("aria-live", "off"); // or a reader would hear of each move
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
    pace.append(` ${drawing.noun}s a second`);
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
      if (isSpace && event.target.tagName === "BUTTON") return; // which it presses
      const jump = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
      if (isSpace) toggle();
      else if (Object.hasOwn(jump, event.key)) go(jump[event.key]);
      else return;
      event.preventDefault();
    });
    // A finger or mouse on the picture: a tap plays or pauses, a stroke to a side goes one on.
    let begun = null;
    stage.addEventListener("pointerdown", (event) => { begun = event.clientX; });
    stage.addEventListener("pointerup", (event) => {
      const stroke = begun === null ? 0 : event.clientX - begun;
      begun = null;
      if (Math.abs(stroke) > 30) go(at + (stroke < 0 ? 1 : -1));
      else toggle();
    });

    const mine = `played again here by the rules: ${counted(result.score, "point")}`;
    verdict(result.agrees ? `✓ ${mine}, as on record.` : `✗ ${mine}; ${onRecord}.`);
    pause();
    return { go, start, pause, position: () => at, steps: steps.length };
  }

  thetafrontRecompute.slide = slide;
  window.thetafrontRecompute = thetafrontRecompute;
  window.thetafrontReplay = thetafrontReplay;
})();
