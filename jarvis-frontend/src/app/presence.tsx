import { isBlind } from 'protocol/facts'
import { useSessions } from '../api/sessions.ts'
import { useWaiting } from '../api/waiting.ts'
import { lookWords, nodeMark } from '../features/cluster/health.ts'
import { useCluster } from '../features/cluster/store.ts'
import { useValue } from '../lib/use-value.ts'
import { Ring, type RingArc, type RingCore } from '../ui/ring.tsx'
import { live } from './live.ts'

const words: Record<RingCore, string> = {
  quiet: 'All quiet',
  working: 'Working',
  waiting: 'Waiting for you',
  lost: 'Reconnecting',
}

/** Returns what JARVIS does and the health of the nodes, for the ring and the text beside it. */
export function usePresence(): { core: RingCore; words: string; arcs: RingArc[]; waiting: number } {
  const link = useValue(live.link.value)
  const { state, isLive, issues } = useCluster()
  const waiting = useWaiting().count
  const isWorking = useSessions()?.some((session) => session.isRunning) ?? false
  const core: RingCore = link.status !== 'live' ? 'lost' : waiting > 0 ? 'waiting' : isWorking ? 'working' : 'quiet'
  const arcs = (state?.nodes ?? []).map((node): RingArc => {
    if (!isLive || node.status !== 'online') return 'away'
    const mark = nodeMark(node, issues, isLive)
    return mark === 'warn' || mark === 'bad' ? mark : 'well'
  })
  const calm =
    core !== 'quiet'
      ? words[core]
      : state !== undefined && isBlind(state)
        ? 'Cluster unknown'
        : issues.length > 0
          ? lookWords(issues.length)
          : words[core]
  return { core, words: link.status === 'connecting' ? 'Connecting' : calm, arcs, waiting }
}

export function Presence({ size }: { size: number }) {
  const { core, arcs } = usePresence()
  return <Ring size={size} arcs={arcs} core={core} />
}
