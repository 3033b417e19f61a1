export type MarkKind =
  | 'ok'
  | 'warn'
  | 'bad'
  | 'unknown'
  | 'running'
  | 'stopped'
  | 'paused'
  | 'none'
  | 'step'
  | 'missed'
  | 'question'

const shapes: Record<MarkKind, React.ReactNode> = {
  ok: <circle className="mark-ok" cx="8" cy="8" r="5" />,
  warn: <path className="mark-warn" d="M8 1.6 15.2 14H.8z" />,
  bad: <path className="mark-bad" d="m3 3 10 10M13 3 3 13" />,
  unknown: <circle className="mark-unknown" cx="8" cy="8" r="5" />,
  running: <circle className="mark-running" cx="8" cy="8" r="4.4" />,
  stopped: <circle className="mark-stopped" cx="8" cy="8" r="4.2" />,
  paused: <path className="mark-paused" d="M4 3.5h2.8v9H4zM9.2 3.5H12v9H9.2z" />,
  none: <path className="mark-none" d="M3 8h10" />,
  missed: <circle className="mark-missed" cx="8" cy="8" r="5.5" />,
  question: (
    <>
      <circle className="mark-question" cx="8" cy="8" r="6.6" />
      <path className="mark-asks" d="M6.2 6.4a1.9 1.9 0 1 1 2.7 1.8c-.6.3-.9.6-.9 1.2M8 11.4v.1" />
    </>
  ),
  step: <circle className="mark-step" cx="8" cy="8" r="5" />,
}

/** An icon for health or power. Set `label` for screen readers if no text is beside the icon. */
export function Mark({ kind, size = 11, label }: { kind: MarkKind; size?: number; label?: string }) {
  return (
    <>
      <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
        {shapes[kind]}
      </svg>
      {label !== undefined && <span className="vh">{label}</span>}
    </>
  )
}
