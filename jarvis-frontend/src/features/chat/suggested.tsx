import { createContext, use } from 'react'
import { useSlots } from './slots.ts'

/** Sentences in an answer's text that the person may send by a click. */
export type Suggested = { sentences: readonly string[]; onAsk(sentence: string): void }

export const SuggestedContext = createContext<Suggested | undefined>(undefined)

type Part = { key: number; text: string; sentence?: string }

/** Splits a text at the suggested sentences that it quotes as “…”. */
export function partsOf(text: string, sentences: readonly string[]): Part[] {
  return text.split(/(“[^“”]+”)/).flatMap((part, key): Part[] => {
    const sentence = key % 2 === 1 ? part.slice(1, -1) : undefined
    if (sentence !== undefined && sentences.includes(sentence)) return [{ key, text: part, sentence }]
    return part === '' ? [] : [{ key, text: part }]
  })
}

/** A text of an answer, in which suggested sentences are buttons. */
export function Text({ text }: { text: string }) {
  const { Prose } = useSlots()
  const suggested = use(SuggestedContext)
  if (suggested === undefined) return <Prose text={text} />
  return partsOf(text, suggested.sentences).map(({ key, text: part, sentence }) =>
    sentence === undefined ? (
      <Prose key={key} text={part} />
    ) : (
      <button
        key={key}
        type="button"
        className="suggested"
        onClick={({ detail }) => {
          suggested.onAsk(sentence)
          // The button goes with the next answer. Only a key press has no `detail`; a finger must not open a phone's keyboard.
          if (detail === 0) document.getElementById('composer')?.focus()
        }}
      >
        {sentence}
      </button>
    ),
  )
}
