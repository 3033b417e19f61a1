import type { ModelRequest, Turn } from '../agent/model.ts'
import { picturesIn } from './conversation.ts'

/** Models by the last part of their name, and if they take pictures. The first matching row counts. */
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

/** Matches a refusal that says that the model takes no pictures. */
const refusals =
  /image_url|input_image|\bimages?\b[^.]{0,60}\b(?:not supported|unsupported|not (?:be )?(?:accept|allow)ed|only supported)|(?:not|n't|no endpoints?)[^.]{0,40}\bsupport(?:s|ed)?[^.]{0,30}\bimage|not a multimodal|mmproj|\bvision\b|image input/i

/** Decides if one model is sent pictures. */
export interface Sight {
  /** True if the table says that the model takes pictures; undefined if the table does not know the model. */
  readonly known: boolean | undefined
  isBlind(): boolean
  /** Reads the refusal of a request with pictures. @returns true if the request should be sent again without pictures */
  refused(said: string): boolean
}

/**
 * Decides whether a model is sent pictures. The server's refusal of a picture decides first, then the server's description of the model, then the
 * table of known models. A refusal is ignored if the table knows the model and the server gave no description.
 * @param told returns true if the server says that the model takes pictures; undefined while that is not known
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

/** Returns a turn with the number of pictures in the request that were not sent to the model. */
export function withUnseen(turn: Turn, { messages }: Pick<ModelRequest, 'messages'>, sight: Sight): Turn {
  const unseen = sight.isBlind() ? picturesIn(messages) : 0
  return unseen === 0 ? turn : { ...turn, unseen }
}
