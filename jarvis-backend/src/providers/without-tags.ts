import type { Model, ModelSink } from '../agent/model.ts'
import type { Content } from '../protocol/index.ts'
import type { Learned } from './learned.ts'
import { createThinkTags, type Said } from './think-tags.ts'

/** The prompt's template opens the model's reasoning. */
const opened = 'reasoning:opened'

/**
 * The same model, whose reasoning is never part of the answer, however its server marks it. Where the prompt opens the reasoning, what was told as the
 * answer is taken back at the first closing tag; from then on the model's replies are taken to begin with reasoning, as long as they do.
 */
export function withoutTags(model: Model, learned: Learned): Model {
  let beginsInside = learned.has(opened)
  return {
    ...model,
    async generate(request, sink, signal) {
      const isInside = beginsInside
      const tags = createThinkTags(isInside)
      const tell = teller(sink)
      const split: ModelSink = {
        ...sink,
        text: (delta) => tell(tags.add(delta)),
        thinking(delta) {
          tell(tags.pause())
          tags.reasoned()
          sink.thinking(delta)
        },
      }
      try {
        const turn = await model.generate(request, split, signal)
        const isCut = turn.stopReason === 'max_tokens'
        tell(tags.end(isCut))
        beginsInside = tags.hasClosedAlone()
        if (beginsInside && !learned.has(opened)) learned.add(opened)
        return { ...turn, content: sorted(turn.content, isInside, isCut) }
      } catch (error) {
        tell(tags.pause())
        throw error
      }
    },
  }
}

/** Tells a sink. An answer that was told as reasoning is told once more, as what it is. */
function teller(sink: ModelSink): (said: readonly Said[]) => void {
  let thought = ''
  return (said) => {
    for (const piece of said) {
      if (piece.kind === 'back') sink.takeBack?.()
      else if (piece.kind === 'forth') sink.text(thought.trimStart())
      else if (piece.kind === 'text') sink.text(piece.text)
      else {
        thought += piece.text
        sink.thinking(piece.text)
      }
    }
  }
}

/** The content of a reply with the reasoning of its texts apart. */
function sorted(content: readonly Content[], beginsInside: boolean, isCut: boolean): Content[] {
  const tags = createThinkTags(beginsInside)
  /** Pieces that were read from texts, whose kind may still change. */
  let pieces: (Content | { type: 'read'; kind: 'text' | 'thinking'; text: string })[] = []
  const put = (kind: 'text' | 'thinking', text: string) => {
    const last = pieces.at(-1)
    if (last?.type === 'read' && last.kind === kind) last.text += text
    else pieces.push({ type: 'read', kind, text })
  }
  const turned = (kind: 'text' | 'thinking') => {
    const all = pieces
    pieces = []
    for (const piece of all)
      if (piece.type === 'read') put(kind, piece.text)
      else pieces.push(piece)
  }
  const take = (said: readonly Said[]) => {
    for (const piece of said) {
      if (piece.kind === 'back' || piece.kind === 'forth') turned(piece.kind === 'back' ? 'thinking' : 'text')
      else put(piece.kind === 'text' ? 'text' : 'thinking', piece.text)
    }
  }
  for (const piece of content) {
    if (piece.type === 'text') {
      take(tags.add(piece.text))
      continue
    }
    take(tags.pause())
    if (piece.type === 'thinking') tags.reasoned()
    pieces.push(piece)
  }
  take(tags.end(isCut))
  return pieces.flatMap((piece): Content[] => {
    if (piece.type !== 'read') return [piece]
    const text = piece.kind === 'thinking' ? piece.text.trim() : piece.text
    return text === '' ? [] : [{ type: piece.kind, text }]
  })
}
