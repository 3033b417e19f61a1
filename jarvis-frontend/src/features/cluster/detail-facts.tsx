import type { ClusterState } from 'protocol'
import { heldRam, shareOf, storageSeries, withoutTemplates } from 'protocol/facts'
import { useStatus } from '../../api/status.ts'
import { ago, celsius, exactTime, gibOf, longSpan, percent, share, size, sizeOf } from '../../lib/format.ts'
import { useLocation } from '../../lib/location.tsx'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { useNow } from '../../ui/use-now.ts'
import { Acts, actsOfGuest, actsOfNode } from './acts.tsx'
import { guestMark, nodeMark, nodeRam } from './health.ts'
import { aboutDays } from './issue-past.ts'
import { Lock, TaskList } from './parts.tsx'
import { daysLeft, lineOf, usePast } from './past.ts'
import { nodePath, storagePath } from './paths.ts'
import { StateMark } from './state-mark.tsx'
import { useCluster } from './store.ts'

type Ask = ((question: string) => void) | undefined
type Of = { state: ClusterState; onAsk: Ask }
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

/** A link to the page of the object, unless that page is open. */
function OwnPage({ to }: { to: string }) {
  const { pathname } = useLocation()
  return pathname === to.split('?')[0] ? null : (
    <Link className="button small faint" to={to}>
      Open its page
    </Link>
  )
}

const AskAbout = ({ question, onAsk }: { question: string; onAsk: Ask }) =>
  onAsk === undefined ? null : (
    <button type="button" className="button small faint" onClick={() => onAsk(question)}>
      Ask about this
    </button>
  )

const stateWord = ({ isTemplate, status }: ClusterState['guests'][number]) => (isTemplate ? 'template' : status)

export function GuestFacts({
  guest,
  state,
  onAsk,
  linkTo,
}: Of & { guest: ClusterState['guests'][number]; linkTo: (change: { detail: string }) => string }) {
  const { isLive, issues } = useCluster()
  const hasConsole = useStatus()?.hasTerminal === true && onAsk !== undefined
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
          ['State', guest.lock === undefined ? stateWord(guest) : `${stateWord(guest)}, locked (${guest.lock})`],
          [
            'Node',
            <Link key="node" to={linkTo({ detail: `node/${guest.node}` })}>
              {guest.node}
            </Link>,
          ],
          ['Up', isUp && guest.uptimeS !== null ? longSpan(guest.uptimeS * 1_000) : undefined],
          ['CPU', isUp ? `${share(guest.cpuRatio)} of ${guest.cpuCount ?? '–'}` : `${guest.cpuCount ?? '–'} cores`],
          [
            'Memory',
            `${isUp ? gibOf(guest.ramBytes, guest.ramTotalBytes) : gibOf(0, guest.ramTotalBytes).split('/ ')[1]} GiB`,
          ],
          [
            'Console',
            isUp && hasConsole ? (
              <Link key="console" to={`/console?vmid=${guest.vmid}`}>
                {guest.type === 'vm' ? 'Screen' : 'Terminal'}
              </Link>
            ) : undefined,
          ],
          ['HA', guest.isHa ? (guest.haState ?? 'managed') : undefined],
          ['Tags', guest.tags.length > 0 ? <Visible key="tags" text={guest.tags.join(', ')} /> : undefined],
          [
            'Backup',
            guest.backupAt === null ? (
              'unknown'
            ) : guest.backupAt === undefined ? (
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
      <OwnPage to={`/guest/${guest.vmid}`} />
      <AskAbout question={`How is guest ${guest.vmid}?`} onAsk={onAsk} />
      {tasks.length > 0 && <TaskList tasks={tasks.slice(0, 3)} />}
    </>
  )
}

export function NodeFacts({ node, state, onAsk }: Of & { node: ClusterState['nodes'][number] }) {
  const { isLive, issues } = useCluster()
  const now = useNow(60_000)
  const guests = withoutTemplates(state.guests).filter((guest) => guest.node === node.name)
  const unknown = guests.filter(({ status }) => status === 'unknown').length
  const running = guests.filter(({ status }) => status === 'running').length
  const ram = nodeRam(node)
  const cache = node.ramCacheBytes ?? 0
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
              : `${percent(ram)}, ${gibOf(heldRam(node) ?? 0, node.ramTotalBytes ?? 0)} GiB${cache < (node.ramTotalBytes ?? 0) / 100 ? '' : `, and ${size(cache)} cache`}`,
          ],
          ['Load', node.load1?.toFixed(1) ?? 'unknown'],
          ['Heat', typeof node.temperatureC === 'number' ? celsius(node.temperatureC) : 'unknown'],
          [
            'Guests',
            unknown > 0
              ? `${running} of ${guests.length} running, ${unknown} unknown`
              : `${running} of ${guests.length} running`,
          ],
        ]}
      />
      <Acts acts={actsOfNode(node)} onAsk={onAsk} />
      <OwnPage to={nodePath(node.name)} />
      <AskAbout question={`How is node ${node.name}?`} onAsk={onAsk} />
    </>
  )
}

export function StorageFacts({ storage, onAsk }: { storage: ClusterState['storages'][number]; onAsk: Ask }) {
  const series = storageSeries(storage)
  const { reply } = usePast([series], '7d')
  const days = daysLeft(lineOf(reply, series, 'usedRatio'))
  return (
    <>
      <h2>
        {storage.name} <small>{storage.node === undefined ? 'shared' : `on ${storage.node}`}</small>
      </h2>
      <Facts
        facts={[
          ['State', storage.isActive === null ? 'unknown' : storage.isActive ? 'active' : 'not reachable'],
          ['Kind', storage.type],
          ['Holds', storage.content.join(', ')],
          [
            'Used',
            storage.usedBytes === null
              ? 'unknown'
              : `${percent(shareOf(storage.usedBytes, storage.totalBytes) ?? 0)}, ${sizeOf(storage.usedBytes, storage.totalBytes ?? 0)}`,
          ],
          ['Left', days === undefined ? 'does not fill, as far as is known' : `${aboutDays(days)} at this rate`],
        ]}
      />
      <OwnPage to={storagePath(storage)} />
      <AskAbout question={`What fills ${storage.name}?`} onAsk={onAsk} />
    </>
  )
}
