import { Visible } from './boxed.tsx'

/** Runs of spaces that a file's line usually has: before its first word, where tabs are usual too, and between columns. */
const usualGap = /(^[ \t]{1,60}(?=[^ \t])|(?<! ) {2,60}(?=[^ ]))/

/** A line in pieces; those at odd places are spaces to be drawn as they are. */
export const codePieces = (line: string): string[] => line.split(usualGap)

/** A line of a file in a box that wraps, so that spaces can push nothing out of sight. Everything else is shown as `Visible` shows it. */
export function CodeLine({ text }: { text: string }) {
  return codePieces(text).map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
    at % 2 === 1 ? piece : <Visible key={at} text={piece} />,
  )
}
