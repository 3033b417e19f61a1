import { visibleText } from './visible.ts'

/** Text cut where a word of the query begins a word of it; odd places are hits. @param ignored words of the query that mark nothing */
export function splitAtWords(text: string, query: string, ignored: readonly string[] = []): string[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])]
    .filter((word) => !ignored.includes(word))
    .sort((a, b) => b.length - a.length)
  if (words.length === 0) return [text]
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])((?:${words.join('|')})[\\p{L}\\p{N}]*)`, 'giu'))
}

/** Plain text with the query's words marked. */
export function Highlighted({
  text,
  query,
  ignored,
}: {
  text: string
  query: string
  ignored?: readonly string[] | undefined
}) {
  const shown = text
    .split('\n')
    .map((line) => {
      const indent = /^ */.exec(line)?.[0] ?? ''
      return indent + visibleText(line.slice(indent.length).trimEnd())
    })
    .join('\n')
  return splitAtWords(shown, query, ignored).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
      <mark key={at}>{part}</mark>
    ),
  )
}
