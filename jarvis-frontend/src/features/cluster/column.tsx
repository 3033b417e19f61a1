import { IssueList } from './issue-list.tsx'
import { Nodes, type PanelProps, PanelSkeleton, Storages, Vitals } from './panel.tsx'
import { useCluster } from './store.ts'

/** The panel for a phone: issues first, then nodes that open. */
export function ClusterColumn({
  ghosts,
  onAsk,
  linkTo,
}: PanelProps & { onAsk?: ((question: string) => void) | undefined; linkTo: (detail: string) => string }) {
  const { state, isLive, issues } = useCluster()
  if (state === undefined) return <PanelSkeleton />
  return (
    <div className="column">
      <Vitals state={state} />
      <IssueList issues={issues} onAsk={onAsk} />
      <Nodes state={state} issues={issues} isLive={isLive} ghosts={ghosts} opens linkTo={linkTo} />
      <Storages state={state} linkTo={linkTo} />
    </div>
  )
}
