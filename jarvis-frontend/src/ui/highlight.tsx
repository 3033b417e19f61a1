import { visibleText } from './visible.ts'

/**
 * Splits text at the words of the query. A hit must be at the start of a word in the text. Items at odd indexes are hits. @param ignored words of
 * the query that are not marked
 */
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
