import type { ClusterState, Guest } from 'protocol'
import { useState } from 'react'
import { nodeRam } from '../../features/cluster/health.ts'
import { problemIn } from '../../features/tools/arguments.ts'
import { percent } from '../../lib/format.ts'
import { CallForm, useCall } from './call-form.tsx'

type Props = {
  guest: Guest
  state: ClusterState
  tool: string
  onAsk: (command: string) => void
  onClose: () => void
}

/** A form with the nodes to which a guest could move, and the gate's verdict on the chosen node. */
export function MigrateForm({ guest, state, tool, onAsk, onClose }: Props) {
  const [target, setTarget] = useState('')
  const call = useCall(tool, { vmid: guest.vmid, target }, target !== '')
  const others = state.nodes.filter(({ name }) => name !== guest.node)
  return (
    <CallForm
      title={`Move ${guest.vmid} from ${guest.node}`}
      call={call}
      rest={target === '' ? 'Choose where it goes.' : 'Asking the gate and the cluster'}
      wrong={call.isWrong ? problemIn(call.verdict?.reason ?? '', []).text : undefined}
      onAsk={onAsk}
      onClose={onClose}
    >
      <fieldset className="guest-form-nodes">
        <legend>To</legend>
        {others.length === 0 && <p className="text-soft">The cluster has no other node.</p>}
        {others.map((node) => {
          const ram = nodeRam(node)
          return (
            <label key={node.name}>
              <input
                type="radio"
                name="target"
                value={node.name}
                checked={target === node.name}
                onChange={() => setTarget(node.name)}
              />
              <span>
                {node.name}{' '}
                <span className="text-dim">
                  {node.status}
                  {node.status === 'online' && `, memory ${ram === undefined ? 'not known' : `${percent(ram)} used`}`}
                </span>
              </span>
            </label>
          )
        })}
      </fieldset>
    </CallForm>
  )
}
