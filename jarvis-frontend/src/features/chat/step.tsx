/** One step on the vertical line: the mark on the left, all other content with the same left edge. */
export function Step({
  mark,
  label,
  top = 6,
  children,
}: {
  mark: React.ReactNode
  /** The entry's name for screen readers. */
  label?: string
  top?: number
  children: React.ReactNode
}) {
  return (
    <article className="step" aria-label={label}>
      <span className="spine-mark" style={{ top }}>
        {mark}
      </span>
      {children}
    </article>
  )
}
