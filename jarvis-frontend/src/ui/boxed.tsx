import { visible } from './visible.ts'

/** Shows text that others wrote, with codes for invisible characters. The text is never read as markup, and its content never changes its style. */
export function Visible({ text }: { text: string }) {
  return visible(text).map((part, at) =>
    'code' in part ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
      <span key={at} className="unseen">
        {part.code}
      </span>
    ) : (
      part.text
    ),
  )
}

/** Shows a value that others chose, in a box. */
export function Boxed({ text }: { text: string }) {
  return (
    <bdi className="boxed">
      <Visible text={text} />
    </bdi>
  )
}
