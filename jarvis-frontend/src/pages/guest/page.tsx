import type { Change, ClusterState, GuestReply, SampleRange } from 'protocol'
import { Suspense } from 'react'
import { call } from '../../api/http.ts'
import { useLoad } from '../../api/use-load.ts'
import { GoesBack } from '../../app/changes/goes-back.tsx'
import { later } from '../../app/later.tsx'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { useAskNew } from '../../app/use-ask.ts'
import { ranges, rangeWord } from '../../features/cluster/past.ts'
import { useCluster } from '../../features/cluster/store.ts'
import { navigate, useSearchParams } from '../../lib/location.tsx'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import { GuestActs } from './acts.tsx'
import { ChangeList } from './change-list.tsx'
import { endIn, isOfAnother, marksOf } from './facts.ts'
import './page.css'
import { exactTime } from '../../lib/format.ts'
import { Empty } from '../../ui/empty.tsx'
import { useGuestKeys } from './keys.ts'
import { BackupList, Leaning, Proof, SnapshotList, StandsOn, Vitals } from './parts.tsx'
import { useChanges } from './use-changes.ts'

const ConfigTab = later(() => import('./config-tab.tsx').then((part) => part.ConfigTab))
const GuestConsole = later(() => import('../console/guest-console.tsx').then((part) => part.GuestConsole))
const Charts = later(() => import('../../features/cluster/charts.tsx').then((part) => part.Charts))

const tabs = ['overview', 'config', 'backups', 'console'] as const
const tabWord = { overview: 'Overview', config: 'Config', backups: 'Backups', console: 'Console' }
const rangeMs: Record<SampleRange, number> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 }
const watched = ['connect', 'changes', 'proofs']

type Guest = ClusterState['guests'][number]

/** One guest: its live state, its charts with changes marked, the restore proof of its backups, and the possible actions. */
export function GuestPage({ vmid: word }: { vmid: string }) {
  const vmid = Number(word)
  const { state } = useCluster()
  const [params] = useSearchParams()
  const tab = tabs.find((known) => known === params.get('tab')) ?? 'overview'
  const range = ranges.find((known) => known === params.get('range')) ?? '24h'
  const guest = state?.guests.find((known) => known.vmid === vmid)
  const read = useLoad(
    `guest ${vmid} ${guest?.node} ${guest?.status} ${guest?.lock}`,
    () => call('GET /api/guests/:vmid', { params: { vmid: String(vmid) } }),
    watched,
  )
  // A VM and a container: for a guest that no longer exists, only its changes tell its type.
  const changes = useChanges([`vm/${vmid}`, `ct/${vmid}`])
  const onAsk = useAskNew()
  const linkTo = (change: Record<string, string>) =>
    `/guest/${vmid}?${new URLSearchParams({ ...Object.fromEntries(params), ...change })}`
  useGuestKeys(state?.guests ?? [], tabs)
  const { list } = changes
  const own = list.filter((change) => !isOfAnother(change, guest?.identity))
  // A guest that no longer exists gets the name in its last change.
  const name = guest?.name ?? list.find(({ target }) => target.name !== undefined)?.target.name ?? ''
  const windowName = `${vmid} ${name}`.trimEnd()
  const title = (
    <>
      <span className="num">{vmid}</span> {name !== '' && <Boxed text={name} />}
    </>
  )
  const isGone = state !== undefined && guest === undefined && !state.unread?.includes('guests')
  const changeList = (
    <>
      <Problem error={changes.problem} onAgain={changes.again} kept={changes.isRead} />
      {!changes.isRead ? (
        changes.problem === undefined && <Skeletons rows={3} height={30} />
      ) : (
        <ChangeList
          changes={list}
          marks={marksOf(own, Date.now() - rangeMs[range])}
          onMore={changes.onMore}
          identity={guest?.identity}
        />
      )}
    </>
  )
  if (isGone) {
    const end = endIn(list)
    return (
      <>
        <PageHead title={title} name={windowName} />
        <div className="page scroll guest-page">
          <Empty
            title={
              end === undefined
                ? `The cluster has no guest ${vmid} now${state.hidden?.includes('guests') ? ', as far as its Proxmox token sees' : ''}.`
                : `${vmid} ${name} was destroyed on ${exactTime(end.at)}.`
            }
          />
          <PanelHead title="Changed" />
          {changeList}
        </div>
      </>
    )
  }
  return (
    <>
      <PageHead
        title={title}
        name={windowName}
        phoneDetail={guest && `${guest.type === 'vm' ? 'VM' : 'CT'} on ${guest.node}, ${guest.status}`}
      >
        <nav className="filters guest-head-tabs" aria-label="Parts of this guest">
          {tabs.map((known) => (
            <Link key={known} to={linkTo({ tab: known })} replace aria-current={known === tab ? 'true' : undefined}>
              {tabWord[known]}
              {known === 'backups' &&
                read.data?.backups != null &&
                (read.data.backups.total > 0 || !read.data.backups.isPartial) && (
                  <>
                    {' '}
                    <span className="num">{read.data.backups.total}</span>
                  </>
                )}
            </Link>
          ))}
        </nav>
        <span className="flex-1" />
        <nav className="filters" aria-label="Time shown">
          {ranges.map((known) => (
            <Link key={known} to={linkTo({ range: known })} replace aria-current={known === range ? 'true' : undefined}>
              {rangeWord[known]}
            </Link>
          ))}
        </nav>
      </PageHead>
      {guest === undefined ? (
        <Skeletons rows={10} height={30} />
      ) : (
        <div className="page scroll guest-page">
          <nav className="guest-tabs filters" aria-label="Parts">
            {tabs.map((known) => (
              <Link key={known} to={linkTo({ tab: known })} replace aria-current={known === tab ? 'true' : undefined}>
                {tabWord[known]}
              </Link>
            ))}
          </nav>
          <Vitals guest={guest} proof={read.data?.proof} />
          <States guest={guest} state={state as ClusterState} />
          {list.some(isUnderWay) && (
            <div className="guest-armed">
              {list.filter(isUnderWay).map((change) => (
                <GoesBack key={change.id} change={change} />
              ))}
            </div>
          )}
          <Problem error={read.problem} onAgain={read.again} kept={read.data !== undefined} />
          {tab === 'console' ? (
            <div className="guest-main guest-console-tab">
              <Suspense fallback={null}>
                <GuestConsole vmid={vmid} type={guest.type} />
              </Suspense>
            </div>
          ) : (
            <div className="guest-split">
              <div className="guest-main">
                {tab === 'overview' && (
                  <>
                    <Suspense fallback={<div className="charts" aria-busy="true" />}>
                      <Charts
                        name={`guest/${vmid}`}
                        range={range}
                        fields={['cpuRatio', 'ramRatio', 'diskBps', 'netBps']}
                        saysUnknown
                        marks={marksOf(own, Date.now() - rangeMs[range])}
                      />
                    </Suspense>
                    <div className="guest-pair">
                      <StandsOn guest={guest} config={read.data?.config} state={state as ClusterState} />
                      <Leaning reply={read.data} />
                    </div>
                  </>
                )}
                {tab === 'config' && (
                  <Suspense fallback={<Skeletons rows={20} height={30} />}>
                    <ConfigTab
                      vmid={vmid}
                      reply={read.data}
                      changes={list}
                      against={params.get('against') ?? ''}
                      onAgainst={(against) => navigate(linkTo({ against }), { replace: true })}
                    />
                  </Suspense>
                )}
                {tab === 'backups' && <BackupList reply={read.data} />}
                {tab === 'overview' && (
                  <>
                    <PanelHead title="Changed">
                      {list.length > 0 && `${list.length}${changes.onMore ? ' and more' : ''}`}
                    </PanelHead>
                    {changeList}
                  </>
                )}
                <Missing of={read.data} />
              </div>
              <div className="guest-aside">
                <section className="guest-acts">
                  <PanelHead title="Do">a card comes where … stands</PanelHead>
                  <GuestActs guest={guest} state={state as ClusterState} reply={read.data} onAsk={onAsk} />
                </section>
                <Proof proof={read.data?.proof} guest={guest} isRead={read.data !== undefined} />
                {tab !== 'backups' && <BackupList reply={read.data} most={3} />}
                <SnapshotList reply={read.data} onAsk={onAsk} vmid={vmid} />
                <PanelHead title="Protection">{guest.isProtected ? 'nothing may change it' : 'none'}</PanelHead>
              </div>
            </div>
          )}
        </div>
      )}
    </>
  )
}

const isUnderWay = ({ state, goesBackAt }: Change) =>
  state === 'armed' || (state === 'undoing' && goesBackAt !== undefined)

/** States of a guest that need an explanation. */
function States({ guest, state }: { guest: Guest; state: ClusterState }) {
  const node = state.nodes.find(({ name }) => name === guest.node)
  const now = useNow(60_000)
  const words = [
    guest.isTemplate === true && 'A template: it never runs, and copies are made of it.',
    guest.status === 'paused' && 'Paused: by a person, or because its storage is full or failed (I/O error).',
    guest.status === 'unknown' &&
      `How it is is not known: ${guest.node} does not answer${node?.lastSeenAt === undefined ? '' : `, last seen ${exactTime(node.lastSeenAt, now)}`}.`,
    guest.lock !== undefined && `Locked (${guest.lock}): something is at work on it.`,
    guest.isProtected && 'Protected: nothing may change it.',
  ].filter((line) => typeof line === 'string')
  if (words.length === 0) return null
  return (
    <ul className="guest-states">
      {words.map((line) => (
        <li key={line}>
          <Mark kind={guest.status === 'unknown' ? 'unknown' : guest.status === 'paused' ? 'warn' : 'none'} />
          <Visible text={line} />
        </li>
      ))}
    </ul>
  )
}

function Missing({ of }: { of: GuestReply | undefined }) {
  if (of === undefined || of.missing.length === 0) return null
  return (
    <ul className="guest-states" aria-label="Could not be read">
      {of.missing.map((line) => (
        <li key={line}>
          <Mark kind="unknown" />
          <span>
            Not read: <Visible text={line} />
          </span>
        </li>
      ))}
    </ul>
  )
}
