import { Visible } from './boxed.tsx'

/** Runs of spaces that are usual in a file: before the first word of a line (there also tabs) and between columns. */
const usualGap = /(^[ \t]{1,60}(?=[^ \t])|(?<! ) {2,60}(?=[^ ]))/

/** Splits a line into pieces. Pieces at odd indexes are spaces, which are drawn unchanged. */
export const codePieces = (line: string): string[] => line.split(usualGap)

/** Draws a line of a file. The line wraps in its box, so that spaces cannot push text out of sight. All other text is drawn by `Visible`. */
export function CodeLine({ text }: { text: string }) {
  return codePieces(text).map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
    at % 2 === 1 ? piece : <Visible key={at} text={piece} />,
  )
}
