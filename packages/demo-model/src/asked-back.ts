import type { ClusterState } from 'protocol'
import type { PlannedCall } from './questions.ts'
import { plain } from './words.ts'

const mostOptions = 3

/** Returns the demo's question to the operator, for `ask me what you need` and `ask me where the backups should go`; undefined for other messages. */
export function askedBack(text: string, { storages }: ClusterState): PlannedCall | undefined {
  if (!/^\W*(?:(?:please|jarvis)[\s,]+)*ask me\b/i.test(text)) return undefined
  const roomy = [
    ...new Map(storages.filter(({ isActive }) => isActive).map((storage) => [storage.name, storage])).values(),
  ]
    .toSorted((a, b) => free(b) - free(a))
    .slice(0, mostOptions)
  if (roomy.length < 2) return undefined
  const options = roomy.map((storage) => ({
    label: storage.name,
    note: `${(free(storage) / 1024 ** 4).toFixed(1)} TiB free`,
  }))
  return {
    toolName: 'ask_operator',
    toolInput: {
      questions: [
        { question: 'Where should the next backups go?', options },
        { question: 'When may a guest be away for a minute?' },
      ],
    },
  }
}

const free = ({ usedBytes, totalBytes }: ClusterState['storages'][number]) => (totalBytes ?? 0) - (usedBytes ?? 0)

/** Returns the demo's reply to the answer to its question. */
export function askedWords(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*\d\. |^An answer allows nothing/.test(line))
    .map((line) => line.trim())
  return `Noted, sir: ${lines.map(plain).join('; ')}. Your answer changes nothing by itself; say what I shall do.`
}
