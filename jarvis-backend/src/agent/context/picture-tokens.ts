import { pictureFacts } from '../../lib/picture.ts'
import type { ModelImage } from '../model.ts'

/** The maximum that a picture costs with the usual providers, tokens. */
export const usualPictureTokens = 1_600
/** The maximum for a picture in characters, for estimates without a model. */
export const charsOfPicture = 5_000

type Rule = (width: number, height: number) => number

/** Claude’s rule: one token per 750 pixels, after the picture is scaled down so that its longer side is at most 1,568 px. */
const byArea: Rule = (width, height) => {
  const scale = Math.min(1, 1_568 / Math.max(width, height))
  return Math.min(usualPictureTokens, Math.ceil((width * scale * height * scale) / 750))
}

/**
 * OpenAI’s rule: base tokens, and tokens for each tile of 512 px, after the picture is scaled down to fit 2,048 px, with a shorter side of at most
 * 768 px.
 */
const byTiles =
  (base: number, tile: number): Rule =>
  (width, height) => {
    const fit = Math.min(1, 2_048 / Math.max(width, height))
    const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit))
    return base + tile * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
  }

/** OpenAI’s rule for smaller models: patches of 32 px, at most 1,536 of them, times a factor. */
const byPatches =
  (factor: number): Rule =>
  (width, height) =>
    Math.ceil(factor * Math.min(1_536, Math.ceil(width / 32) * Math.ceil(height / 32)))

/** Gemini’s rule: 258 tokens for each tile of 768 px. */
const byLargeTiles: Rule = (width, height) => 258 * Math.ceil(width / 768) * Math.ceil(height / 768)

/** The rule of a model, matched against the last part of its id. The first matching row counts. */
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
