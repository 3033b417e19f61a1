import type { ClusterState, SampleField, SampleRange } from 'jarvis-backend/protocol'
import { type ComponentType, Suspense, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { ago, celsius, exactTime, gibOf, longSpan, percent, sizeOf, span } from '../../lib/format.ts'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'
import { Acts, actsOfGuest, actsOfNode } from './acts.tsx'
import type { ChartsProps } from './charts.tsx'
import { guestMark, nodeMark, ratio, seriesOf } from './health.ts'
import { Lock, TaskList } from './parts.tsx'
import { daysLeft, lineOf, ranges, rangeWord, usePast } from './past.ts'
import { StateMark } from './state-mark.tsx'
import { useCluster } from './store.ts'

/** What the page shows in detail, by its series' name: `guest/123`, `node/pve`, `storage/tank`. */
export type DetailProps = {
  name: string
  /** Fetched on first use. */
  Charts: ComponentType<ChartsProps>
  range: SampleRange
  linkTo: (change: { range?: SampleRange; detail?: string | undefined }) => string
  onClose: () => void
  onAsk: ((question: string) => void) | undefined
}

export function Detail({ name, Charts, range, linkTo, onClose, onAsk }: DetailProps) {
  const { state } = useCluster()
  const box = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thing is read from its beginning
  useEffect(() => box.current?.focus(), [name])
  useEffect(() => {
    const onEscape = () => onClose()
    addEventListener('jarvis:escape', onEscape)
    return () => removeEventListener('jarvis:escape', onEscape)
  }, [onClose])
  const seen = state && seenOf(name, state)
  return (
    <section className="detail scroll" ref={box} tabIndex={-1} aria-label={`Detail: ${name.replace('/', ' ')}`}>
      <button type="button" className="icon-button detail-close" aria-label="Close the detail" onClick={onClose}>
        <Icon name="close" />
      </button>
      {state !== undefined && seen === undefined && (
        <p className="detail-none">There is no {name.replace('/', ' ')} now.</p>
      )}
      {seen?.guest && <GuestFacts guest={seen.guest} state={state as ClusterState} onAsk={onAsk} linkTo={linkTo} />}
      {seen?.node && <NodeFacts node={seen.node} state={state as ClusterState} onAsk={onAsk} />}
      {seen?.storage && <StorageFacts storage={seen.storage} onAsk={onAsk} />}
      {seen !== undefined && (
        <>
          <nav className="ranges" aria-label="Time shown">
            {ranges.map((known) => (
              <Link
                key={known}
                to={linkTo({ range: known })}
                replace
                aria-current={known === range ? 'true' : undefined}
              >
                {rangeWord[known]}
              </Link>
            ))}
          </nav>
          <Suspense fallback={<div className="charts" aria-busy="true" />}>
            <Charts name={name} range={range} fields={seen.fields} />
          </Suspense>
        </>
      )}
    </section>
  )
}

function seenOf(name: string, { guests, nodes, storages }: ClusterState) {
  const id = name.slice(name.indexOf('/') + 1)
  const guest = name.startsWith('guest/') ? guests.find(({ vmid }) => String(vmid) === id) : undefined
  const node = name.startsWith('node/') ? nodes.find((known) => known.name === id) : undefined
  const storage = storages.find((known) => seriesOf(known) === name)
  if (guest === undefined && node === undefined && storage === undefined) return undefined
  const fields: readonly SampleField[] =
    guest !== undefined
      ? ['cpuRatio', 'ramRatio', 'netBps', 'diskRatio']
      : node !== undefined
        ? ['cpuRatio', 'ramRatio', 'load1', 'temperatureC', 'netBps']
        : ['usedRatio']
  return { guest, node, storage, fields }
}

type Of = { state: ClusterState; onAsk: DetailProps['onAsk'] }
type Fact = readonly [name: string, value: React.ReactNode]

const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl>
    {facts.map(([name, value]) =>
      value === undefined ? null : (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd className="num">{value}</dd>
        </div>
      ),
    )}
  </dl>
)

const AskAbout = ({ question, onAsk }: { question: string; onAsk: DetailProps['onAsk'] }) =>
  onAsk === undefined ? null : (
    <button type="button" className="button small faint" onClick={() => onAsk(question)}>
      Ask about this
    </button>
  )

function GuestFacts({
  guest,
  state,
  onAsk,
  linkTo,
}: Of & { guest: ClusterState['guests'][number]; linkTo: DetailProps['linkTo'] }) {
  const { isLive, issues } = useCluster()
  const now = useNow(60_000)
  const isUp = guest.status === 'running'
  const tasks = state.tasks.filter((task) => task.vmid === guest.vmid)
  return (
    <>
      <h2>
        <StateMark kind={guestMark(guest, issues, isLive)} size={12} />
        <span className="num">{guest.vmid}</span>
        <Boxed text={guest.name} />
        <small>{guest.type === 'vm' ? 'VM' : 'CT'}</small>
        {guest.isProtected && <Lock />}
      </h2>
      <Facts
        facts={[
          ['State', guest.lock === undefined ? guest.status : `${guest.status}, locked (${guest.lock})`],
          [
            'Node',
            <Link key="node" to={linkTo({ detail: `node/${guest.node}` })}>
              {guest.node}
            </Link>,
          ],
          ['Up', isUp ? longSpan(guest.uptimeS * 1_000) : undefined],
          ['CPU', isUp ? `${percent(guest.cpuRatio)} of ${guest.cpuCount}` : `${guest.cpuCount} cores`],
          [
            'Memory',
            `${isUp ? gibOf(guest.ramBytes, guest.ramTotalBytes) : gibOf(0, guest.ramTotalBytes).split('/ ')[1]} GiB`,
          ],
          ['HA', guest.isHa ? (guest.haState ?? 'managed') : undefined],
          ['Tags', guest.tags.length > 0 ? <Visible key="tags" text={guest.tags.join(', ')} /> : undefined],
          [
            'Backup',
            guest.backupAt === undefined ? (
              'none'
            ) : (
              <time key="at" title={exactTime(guest.backupAt)}>
                {ago(guest.backupAt, now)}
              </time>
            ),
          ],
        ]}
      />
      <Acts acts={actsOfGuest(guest)} onAsk={onAsk} />
      <AskAbout question={`How is guest ${guest.vmid}?`} onAsk={onAsk} />
      {tasks.length > 0 && <TaskList tasks={tasks.slice(0, 3)} />}
    </>
  )
}

function NodeFacts({ node, state, onAsk }: Of & { node: ClusterState['nodes'][number] }) {
  const { isLive, issues } = useCluster()
  const now = useNow(60_000)
  const guests = state.guests.filter((guest) => guest.node === node.name)
  const running = guests.filter(({ status }) => status === 'running').length
  const ram = ratio(node.ramBytes, node.ramTotalBytes)
  const isUp = node.status === 'online'
  return (
    <>
      <h2>
        <StateMark kind={nodeMark(node, issues, isLive)} size={12} />
        {node.name}
        {node.role !== undefined && <small className="cut">{node.role}</small>}
        {node.isProtected && <Lock />}
      </h2>
      <Facts
        facts={[
          ['State', node.status],
          [
            'Last seen',
            isUp || node.lastSeenAt === undefined ? undefined : (
              <time key="at" title={exactTime(node.lastSeenAt)}>
                {ago(node.lastSeenAt, now)}
              </time>
            ),
          ],
          ['Up', isUp && node.uptimeS !== undefined ? longSpan(node.uptimeS * 1_000) : undefined],
          [
            'CPU',
            node.cpuRatio === undefined
              ? undefined
              : `${percent(node.cpuRatio)}${node.cpuCount === undefined ? '' : ` of ${node.cpuCount}`}`,
          ],
          [
            'Memory',
            ram === undefined
              ? undefined
              : `${percent(ram)}, ${gibOf(node.ramBytes ?? 0, node.ramTotalBytes ?? 0)} GiB`,
          ],
          ['Load', node.load1?.toFixed(1)],
          ['Heat', node.temperatureC === undefined ? 'not known' : celsius(node.temperatureC)],
          ['Guests', `${running} of ${guests.length} running`],
        ]}
      />
      <Acts acts={actsOfNode(node)} onAsk={onAsk} />
      <AskAbout question={`How is node ${node.name}?`} onAsk={onAsk} />
    </>
  )
}

function StorageFacts({ storage, onAsk }: { storage: ClusterState['storages'][number]; onAsk: DetailProps['onAsk'] }) {
  const series = seriesOf(storage)
  const { reply } = usePast([series], '7d')
  const days = daysLeft(lineOf(reply, series, 'usedRatio'))
  return (
    <>
      <h2>
        {storage.name} <small>{storage.node === undefined ? 'shared' : `on ${storage.node}`}</small>
      </h2>
      <Facts
        facts={[
          ['State', storage.isActive ? 'active' : 'not reachable'],
          ['Kind', storage.type],
          ['Holds', storage.content.join(', ')],
          [
            'Used',
            `${percent(ratio(storage.usedBytes, storage.totalBytes) ?? 0)}, ${sizeOf(storage.usedBytes, storage.totalBytes)}`,
          ],
          [
            'Left',
            days === undefined ? 'does not fill, as far as is known' : `about ${span(days * 86_400_000)} at this rate`,
          ],
        ]}
      />
      <AskAbout question={`What fills ${storage.name}?`} onAsk={onAsk} />
    </>
  )
}
