import { visible } from './visible.ts'

/** Text that others wrote, with codes for invisible characters. It is never markup and never styled by its content. */
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

/** A value that others chose, in a box. */
export function Boxed({ text }: { text: string }) {
  return (
    <bdi className="boxed">
      <Visible text={text} />
    </bdi>
  )
}
