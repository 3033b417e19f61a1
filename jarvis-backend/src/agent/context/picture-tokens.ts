import { pictureFacts } from '../../lib/picture.ts'
import type { ModelImage } from '../model.ts'

/** The most that a picture costs with the usual providers, tokens. */
export const usualPictureTokens = 1_600
/** The same in characters, for estimates without a model. */
export const charsOfPicture = 5_000

type Rule = (width: number, height: number) => number

/** Claude: a token for 750 pixels, of a picture whose longer side is at most 1,568 px. */
const byArea: Rule = (width, height) => {
  const scale = Math.min(1, 1_568 / Math.max(width, height))
  return Math.min(usualPictureTokens, Math.ceil((width * scale * height * scale) / 750))
}

/** OpenAI: a base, and a price for each tile of 512 px, of a picture within 2,048 px whose shorter side is at most 768 px. */
const byTiles =
  (base: number, tile: number): Rule =>
  (width, height) => {
    const fit = Math.min(1, 2_048 / Math.max(width, height))
    const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit))
    return base + tile * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
  }

/** OpenAI's smaller models: patches of 32 px, at most 1,536 of them. */
const byPatches =
  (factor: number): Rule =>
  (width, height) =>
    Math.ceil(factor * Math.min(1_536, Math.ceil(width / 32) * Math.ceil(height / 32)))

/** Gemini: 258 for each tile of 768 px. */
const byLargeTiles: Rule = (width, height) => 258 * Math.ceil(width / 768) * Math.ceil(height / 768)

/** By the last part of a model's name; the first that fits counts. */
const rules: readonly (readonly [name: RegExp, rule: Rule])[] = [
  [/^(?:[a-z]{2,6}\.)?(?:anthropic\.)?claude-/, byArea],
  [/^gpt-4o-mini/, byTiles(2_833, 5_667)],
  [/^(?:gpt-4\.1|gpt-5[\d.]*)-mini|^o4-mini/, byPatches(1.72)],
  [/^(?:gpt-4\.1|gpt-5[\d.]*)-nano/, byPatches(2.46)],
  [/^gpt-5/, byTiles(70, 140)],
  [/^o[13]/, byTiles(75, 150)],
  [/^(?:gpt-4|chatgpt-4o)/, byTiles(85, 170)],
  [/^gemini-/, byLargeTiles],
]

/** About how many tokens a model counts for a picture. @param model `provider/model` */
export function pictureTokens({ data }: ModelImage, model: string): number {
  const { widthPx, heightPx } = pictureFacts(data) ?? {}
  const name = model.split('/').at(-1)?.toLowerCase() ?? ''
  const rule = rules.find(([known]) => known.test(name))?.[1]
  return rule === undefined || widthPx === undefined || heightPx === undefined
    ? usualPictureTokens
    : rule(widthPx, heightPx)
}
