import { call } from '../../api/http.ts'
import { useNewest } from '../../api/use-load.ts'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { NodeRolesForm } from '../../features/settings/node-roles.tsx'
import { Section, useRights } from './section.tsx'

/** The purpose of each node, which is shown with the node and given to the model. */
export function Nodes() {
  const { isResting } = useRights()
  const load = useNewest('node roles', () => call('GET /api/node-roles'))
  const nodes = useCluster().state?.nodes.map(({ name }) => name) ?? []
  return (
    <Section id="nodes" title="Nodes">
      <p>What each node is for, in a few words. It stands beside the node’s name, and the model is told.</p>
      {load.problem !== undefined && <Problem error={load.problem} onAgain={load.again} />}
      {load.data === undefined && load.problem === undefined && <Skeletons rows={3} />}
      {load.data !== undefined && <NodeRolesForm nodes={nodes} known={load.data} isResting={isResting} />}
    </Section>
  )
}
