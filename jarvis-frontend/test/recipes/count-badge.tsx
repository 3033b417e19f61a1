/** The number of things that wait. It draws nothing for none. */
export function CountBadge({ count, label }: { count: number; label: string }) {
  if (count === 0) return null
  return (
    <span className="badge">
      {count > 99 ? '99+' : count}
      <span className="vh"> {label}</span>
    </span>
  )
}
