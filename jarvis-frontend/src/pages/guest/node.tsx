import { storageSeries } from 'protocol/facts'
import { useGhosts } from '../../app/ghosts.ts'
import { useAskNew } from '../../app/use-ask.ts'
import { NodeFacts } from '../../features/cluster/detail-facts.tsx'
import { guestMark } from '../../features/cluster/health.ts'
import { GuestRow, StorageList, TaskList } from '../../features/cluster/parts.tsx'
import { storagePath } from '../../features/cluster/paths.ts'
import { useCluster } from '../../features/cluster/store.ts'
import { plural } from '../../lib/format.ts'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useBounded } from './more.tsx'
import { Thing } from './thing.tsx'

const mostTasks = 10

/** One node: its figures and charts, its guests, storages, alerts and newest tasks, and what JARVIS changed on it. */
export function NodePage({ name }: { name: string }) {
  const { state, issues, isLive } = useCluster()
  const ghosts = useGhosts()
  const onAsk = useAskNew()
  const node = state?.nodes.find((known) => known.name === name)
  const guests = (state?.guests ?? []).filter((guest) => guest.node === name).sort((a, b) => a.vmid - b.vmid)
  const [shown, more] = useBounded(guests)
  const storages = (state?.storages ?? []).filter((storage) => storage.node === name)
  const tasks = (state?.tasks ?? []).filter((task) => task.node === name).slice(0, mostTasks)
  const ids = new Set([`node/${name}`, ...storages.map(storageSeries)])
  return (
    <Thing
      title={name}
      phoneDetail={node && `node, ${node.status}`}
      gone={state !== undefined && node === undefined && !state.unread?.includes('nodes') ? `node ${name}` : undefined}
      id={`node/${name}`}
      fields={['cpuRatio', 'ramRatio', 'load1', 'temperatureC', 'netBps']}
      isAbout={({ object }) => ids.has(object.id) || (object.node === name && object.vmid === undefined)}
      facts={node && state && <NodeFacts node={node} state={state} onAsk={onAsk} />}
    >
      <PanelHead title="Guests">{plural(guests.length, 'guest')}</PanelHead>
      <ul>
        {shown.map((guest) => (
          <GuestRow
            key={guest.vmid}
            guest={guest}
            mark={guestMark(guest, issues, isLive && node?.status === 'online')}
            ghost={ghosts.get(guest.vmid)}
            to={`/guest/${guest.vmid}`}
          />
        ))}
      </ul>
      {more}
      {storages.length > 0 && (
        <>
          <PanelHead title="Storage" />
          <StorageList storages={storages} to={storagePath} />
        </>
      )}
      <PanelHead title="Tasks" />
      {tasks.length === 0 ? <p className="guest-note">No task is known.</p> : <TaskList tasks={tasks} />}
    </Thing>
  )
}
