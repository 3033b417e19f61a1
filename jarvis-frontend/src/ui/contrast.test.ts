import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

type Rgb = [number, number, number]

/** Linear sRGB of an oklch colour, clipped to what a screen can show. */
function linear(lightness: number, chroma: number, hue: number): Rgb {
  const radians = (hue * Math.PI) / 180
  const a = chroma * Math.cos(radians)
  const b = chroma * Math.sin(radians)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  return [
    clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

function tokens(theme: string): Map<string, Rgb> {
  const block = css.split(`:root[data-theme="${theme}"]`)[1]?.split('}')[0] ?? ''
  const found = block.matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/g)
  return new Map([...found].map(([, name = '', l, c, h]) => [name, linear(Number(l), Number(c), Number(h))]))
}

const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b

function contrast(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const grounds = ['bg', 'panel', 'raise', 'sunk', 'ok-wash', 'warn-wash', 'bad-wash']
const text = ['ink', 'soft', 'dim', 'ok', 'warn', 'bad']
const marks = ['ok-mark', 'warn-mark', 'bad-mark', 'edge']

test.each(['dark', 'light'])('every text colour reads and every mark shows on every ground, theme %s', (theme) => {
  const colours = tokens(theme)
  const colour = (name: string): Rgb => {
    const found = colours.get(name)
    if (found === undefined) throw new Error(`--${name} is not in the table`)
    return found
  }
  const worst = (name: string) => Math.min(...grounds.map((ground) => contrast(colour(name), colour(ground))))
  for (const name of text) expect(worst(name), name).toBeGreaterThanOrEqual(4.5)
  for (const name of marks) expect(worst(name), name).toBeGreaterThanOrEqual(3)
  expect(contrast(colour('on-armed'), colour('bad-mark')), 'armed').toBeGreaterThanOrEqual(4.5)
  expect(contrast(colour('bg'), colour('ink')), 'solid button').toBeGreaterThanOrEqual(4.5)
})

test('black on white has the greatest contrast there is', () => {
  expect(contrast(linear(0, 0, 0), linear(1, 0, 0))).toBeCloseTo(21, 1)
})

test('no colour is mixed by hue: a grey has none, and comes out red', () => {
  const src = new URL('../', import.meta.url)
  const sheets = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.css'))
  expect(sheets.length).toBeGreaterThan(10)
  expect(
    sheets.filter((path) => /color-mix\(in (oklch|lch|hsl|hwb)/.test(readFileSync(new URL(path, src), 'utf8'))),
  ).toEqual([])
})
