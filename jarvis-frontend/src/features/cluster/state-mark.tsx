import { Mark, type MarkKind } from '../../ui/mark.tsx'

const markLabel: Record<string, string> = {
  ok: 'well',
  warn: 'needs a look',
  bad: 'failed',
  unknown: 'unknown',
  running: 'running',
  stopped: 'stopped',
  paused: 'paused',
}

export const StateMark = ({ kind, size = 10 }: { kind: MarkKind; size?: number }) => (
  <Mark kind={kind} size={size} label={markLabel[kind] ?? kind} />
)
