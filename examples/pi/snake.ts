import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { Key, matchesKey } from '@earendil-works/pi-tui';

const WIDTH = 20;
const HEIGHT = 10;
type Place = readonly [x: number, y: number];

/** `/snake`: a game while the agent works. It shows how a component draws lines, takes keys and ends. */
export default function snake(pi: ExtensionAPI) {
  pi.registerCommand('snake', {
    description: 'Plays Snake with the arrow keys; q ends it',
    handler: async (_args, ctx) => {
      const score = await ctx.ui.custom<number>((tui, theme, _keys, done) => {
        let body: readonly Place[] = [[5, 5]];
        let apple: Place = [10, 5];
        let step: Place = [1, 0];
        const isAt = ([x, y]: Place, [a, b]: Place): boolean => x === a && y === b;
        const end = (): void => done(body.length - 1);
        const timer = setInterval(() => {
          const [x, y] = body[0] ?? apple;
          const head: Place = [x + step[0], y + step[1]];
          const isOut = head[0] < 0 || head[1] < 0 || head[0] >= WIDTH || head[1] >= HEIGHT;
          if (isOut || body.some(place => isAt(place, head))) return end();
          const eats = isAt(head, apple);
          body = [head, ...(eats ? body : body.slice(0, -1))];
          if (eats) apple = [Math.floor(Math.random() * WIDTH), Math.floor(Math.random() * HEIGHT)];
          tui.requestRender();
        }, 150);
        const cell = (place: Place): string => {
          if (isAt(place, apple)) return theme.fg('error', '●');
          return body.some(each => isAt(each, place)) ? theme.fg('success', '█') : ' ';
        };
        return {
          invalidate: () => undefined,
          dispose: () => clearInterval(timer),
          handleInput: data => {
            if (data === 'q' || matchesKey(data, Key.escape)) end();
            else if (matchesKey(data, Key.up)) step = [0, -1];
            else if (matchesKey(data, Key.down)) step = [0, 1];
            else if (matchesKey(data, Key.left)) step = [-1, 0];
            else if (matchesKey(data, Key.right)) step = [1, 0];
          },
          render: () => [
            `Apples: ${body.length - 1}`,
            ...Array.from({ length: HEIGHT }, (_row, y) =>
              Array.from({ length: WIDTH }, (_cell, x) => cell([x, y])).join(''),
            ),
          ],
        };
      });
      if (score !== undefined) ctx.ui.notify(`You ate ${score} apples.`);
    },
  });
}
