import type { ModelRequest, Turn } from '../agent/model.ts'
import { picturesIn } from './conversation.ts'

/** Models by the last part of their name: those that take pictures, and those that take none. The first that fits counts. */
const known: readonly (readonly [name: RegExp, sees: boolean])[] = [
  [/^demo$/, false],
  [/^claude-(?:2|instant)/, false],
  [/^claude-/, true],
  [/^gpt-(?:3|4(?:$|-\d{4}|-32k)|oss)/, false],
  [/^o1-(?:mini|preview)|^o3-mini/, false],
  [/^(?:gpt-(?:4|5)|chatgpt-4o|o[134])/, true],
  [/^gemini-/, true],
  [
    /llava|vision|pixtral|moondream|minicpm-v|(?:^|[-_.\d])vl(?:[-:_.]|$)|^gemma-?3n?[:-](?:4|12|27)b|^llama-?4|mistral-small-?3\.[12]/,
    true,
  ],
  [/^deepseek-(?:chat|reasoner|coder|r1|v[23])/, false],
  [
    /^(?:codellama|codestral|starcoder|phi-?[23](?![^:]*vision)|qwen[\d.]*-?coder|llama-?(?:2|3(?:\.[13])?)(?:[:-]|$))/,
    false,
  ],
]

/** True if a model takes pictures; undefined if the table does not know the model. @param id `provider/model` */
export function seesPictures(id: string): boolean | undefined {
  const name = (id.split('/').at(-1)?.toLowerCase() ?? '').replace(
    /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google|meta|mistral|deepseek)\./,
    '',
  )
  return known.find(([of]) => of.test(name))?.[1]
}

/** Matches refusals of a picture by a model that takes none. */
const refusals =
  /image_url|input_image|\bimages?\b[^.]{0,60}\b(?:not supported|unsupported|not (?:be )?(?:accept|allow)ed|only supported)|(?:not|n't|no endpoints?)[^.]{0,40}\bsupport(?:s|ed)?[^.]{0,30}\bimage|not a multimodal|mmproj|\bvision\b|image input/i

/** Says if one model is shown pictures. */
export interface Sight {
  /** True if the table says that the model takes pictures; undefined if the table does not know the model. */
  readonly known: boolean | undefined
  isBlind(): boolean
  /** Told of a refused request with pictures. @returns true if the request is to be sent again without them */
  refused(said: string): boolean
}

/**
 * Decides by the server's words when a picture was sent, else by its description of the model, else by the table.
 * @param told what the server says of the model; undefined while it is not known
 */
export function createSight(id: string, told: () => boolean | undefined = () => undefined): Sight {
  const sees = seesPictures(id)
  let isRefused = false
  return {
    known: sees,
    isBlind: () => isRefused || (told() ?? sees) === false,
    refused(said) {
      if (isRefused || (sees !== undefined && told() === undefined) || !refusals.test(said)) return false
      isRefused = true
      return true
    },
  }
}

/** A turn, with how many of the request's pictures its model was not shown. */
export function withUnseen(turn: Turn, { messages }: Pick<ModelRequest, 'messages'>, sight: Sight): Turn {
  const unseen = sight.isBlind() ? picturesIn(messages) : 0
  return unseen === 0 ? turn : { ...turn, unseen }
}
