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
  const linkTo = (change: Record<string, string>) =>
    `/guest/${vmid}?${new URLSearchParams({ ...Object.fromEntries(params), ...change })}`
  useGuestKeys(state?.guests ?? [], tabs)
  const list = changes.items ?? []
  const own = list.filter((change) => !isOfAnother(change, guest?.identity))
  const marks = marksOf(own, Date.now() - rangeMs[range])
  // A guest that no longer exists gets the name in its last change.
  const name = guest?.name ?? list.find(({ target }) => target.name !== undefined)?.target.name ?? ''
  const windowName = `${vmid} ${name}`.trimEnd()
  const title = (
    <>
      <span className="num">{vmid}</span> {name !== '' && <Boxed text={name} />}
    </>
  )
  const changeList = <ChangeList changes={changes} marks={marks} identity={guest?.identity} />
  if (state !== undefined && guest === undefined && !state.unread?.includes('guests')) {
    return (
      <>
        <PageHead title={title} name={windowName} />
        <div className="page scroll guest-page">
          <Empty title={goneWords({ vmid, name, end: endIn(list), isHidden: state.hidden?.includes('guests') })} />
          <PanelHead title="Changed" />
          {changeList}
        </div>
      </>
    )
  }
  const tabsShown = { of: tabs, words: tabWord, chosen: tab, linkTo: (known: string) => linkTo({ tab: known }) }
  return (
    <>
      <PageHead
        title={title}
        name={windowName}
        phoneDetail={guest && `${guest.type === 'vm' ? 'VM' : 'CT'} on ${guest.node}, ${guest.status}`}
      >
        <Choices {...tabsShown} className="guest-head-tabs" label="Parts of this guest" backups={read.data?.backups} />
        <span className="flex-1" />
        <Choices
          of={ranges}
          words={rangeWord}
          chosen={range}
          linkTo={(known) => linkTo({ range: known })}
          label="Time shown"
        />
      </PageHead>
      {guest === undefined || state === undefined ? (
        <Skeletons rows={10} height={30} />
      ) : (
        <div className="page scroll guest-page">
          <Choices {...tabsShown} className="guest-tabs" label="Parts" />
          <Vitals guest={guest} proof={read.data?.proof} />
          <States guest={guest} state={state} />
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
                    <Overview guest={guest} state={state} reply={read.data} range={range} marks={marks} />
                    <PanelHead title="Changed">
                      {list.length > 0 && `${list.length}${changes.hasMore ? ' and more' : ''}`}
                    </PanelHead>
                    {changeList}
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
                <Missing of={read.data} />
              </div>
              <Aside guest={guest} state={state} reply={read.data} hasBackups={tab !== 'backups'} />
            </div>
          )}
        </div>
      )}
    </>
  )
}

function goneWords(gone: { vmid: number; name: string; end: Change | undefined; isHidden: boolean | undefined }) {
  const { vmid, name, end, isHidden } = gone
  if (end !== undefined) return `${vmid} ${name} was destroyed on ${exactTime(end.at)}.`
  return `The cluster has no guest ${vmid} now${isHidden ? ', as far as its Proxmox token sees' : ''}.`
}

/** Links of which one is chosen. `backups`: the number beside that tab, once it is known. */
function Choices<T extends string>({
  of,
  words,
  chosen,
  linkTo,
  label,
  className,
  backups,
}: {
  of: readonly T[]
  words: Record<T, string>
  chosen: T
  linkTo: (known: T) => string
  label: string
  className?: string
  backups?: GuestReply['backups'] | undefined
}) {
  const isCounted = backups != null && (backups.total > 0 || !backups.isPartial)
  return (
    <nav className={className === undefined ? 'filters' : `filters ${className}`} aria-label={label}>
      {of.map((known) => (
        <Link key={known} to={linkTo(known)} replace aria-current={known === chosen ? 'true' : undefined}>
          {words[known]}
          {known === 'backups' && isCounted && (
            <>
              {' '}
              <span className="num">{backups.total}</span>
            </>
          )}
        </Link>
      ))}
    </nav>
  )
}

type Shown = { guest: Guest; state: ClusterState; reply: GuestReply | undefined }

/** The charts of a guest, with its changes marked, and what it stands on. */
function Overview({
  guest,
  state,
  reply,
  range,
  marks,
}: Shown & { range: SampleRange; marks: ReturnType<typeof marksOf> }) {
  return (
    <>
      <Suspense fallback={<div className="charts" aria-busy="true" />}>
        <Charts
          name={`guest/${guest.vmid}`}
          range={range}
          fields={['cpuRatio', 'ramRatio', 'diskBps', 'netBps']}
          saysUnknown
          marks={marks}
        />
      </Suspense>
      <div className="guest-pair">
        <StandsOn guest={guest} config={reply?.config} state={state} />
        <Leaning reply={reply} />
      </div>
    </>
  )
}

/** The actions on a guest, and what protects it. */
function Aside({ guest, state, reply, hasBackups }: Shown & { hasBackups: boolean }) {
  const onAsk = useAskNew()
  return (
    <div className="guest-aside">
      <section className="guest-acts">
        <PanelHead title="Do">a card comes where … stands</PanelHead>
        <GuestActs guest={guest} state={state} reply={reply} onAsk={onAsk} />
      </section>
      <Proof proof={reply?.proof} guest={guest} isRead={reply !== undefined} />
      {hasBackups && <BackupList reply={reply} most={3} />}
      <SnapshotList reply={reply} onAsk={onAsk} vmid={guest.vmid} />
      <PanelHead title="Protection">{guest.isProtected ? 'nothing may change it' : 'none'}</PanelHead>
    </div>
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
