import type { Change, ClusterState, GuestReply, SampleRange } from 'jarvis-backend/protocol'
import { Suspense, useEffect, useRef, useState } from 'react'
import { readChanges } from '../../api/change.ts'
import { readGuest } from '../../api/guest.ts'
import { useLoad } from '../../api/use-load.ts'
import { GoesBack } from '../../app/changes/goes-back.tsx'
import { later } from '../../app/later.tsx'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { overlay } from '../../app/overlay.ts'
import { PageHead } from '../../app/page-head.tsx'
import { useAskNew } from '../../app/use-ask.ts'
import { type Act, Acts, actsOfGuest } from '../../features/cluster/acts.tsx'
import { ranges, rangeWord } from '../../features/cluster/past.ts'
import { useCluster } from '../../features/cluster/store.ts'
import { keep } from '../../lib/keep.ts'
import { navigate, useSearchParams } from '../../lib/location.tsx'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import { ChangeList } from './change-list.tsx'
import { endIn, marksOf } from './facts.ts'
import './page.css'
import { exactTime } from '../../lib/format.ts'
import { BackupList, ConfigList, Leaning, Proof, SnapshotList, StandsOn, Vitals } from './parts.tsx'

const Charts = later(() => import('../../features/cluster/charts.tsx').then((part) => part.Charts))

const tabs = ['overview', 'config', 'backups', 'changes'] as const
const tabWord = { overview: 'Overview', config: 'Config', backups: 'Backups', changes: 'Changes' }
const rangeMs: Record<SampleRange, number> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 }
const watched = ['connect', 'changes', 'proofs']

type Guest = ClusterState['guests'][number]

/** Everything about one guest: its live state, its past with changes on it, what is proven of its backups, and what may be done. */
export function GuestPage({ vmid }: { vmid: number }) {
  const { state } = useCluster()
  const [params] = useSearchParams()
  const tab = tabs.find((known) => known === params.get('tab')) ?? 'overview'
  const range = ranges.find((known) => known === params.get('range')) ?? '24h'
  const guest = state?.guests.find((known) => known.vmid === vmid)
  const read = useLoad(`${vmid} ${guest?.node} ${guest?.status} ${guest?.lock}`, () => readGuest(vmid), watched)
  const [limit, setLimit] = useState(60)
  const changes = useLoad(`${vmid} ${limit}`, () => changesOf(vmid, limit), watched)
  const onAsk = useAskNew()
  const linkTo = (change: Record<string, string>) =>
    `/guest/${vmid}?${new URLSearchParams({ ...Object.fromEntries(params), ...change })}`
  useGuestKeys(state?.guests ?? [])
  const list = changes.data ?? []
  // What is gone keeps its name from its last change.
  const name = guest?.name ?? list.find(({ target }) => target.name !== undefined)?.target.name ?? ''
  const title = (
    <>
      <span className="num">{vmid}</span> {name !== '' && <Boxed text={name} />}
    </>
  )
  const isGone = state !== undefined && guest === undefined && !state.unread?.includes('guests')
  const more = changes.data !== undefined && changes.data.length >= limit && limit < 200
  const changeList = (
    <>
      <Problem error={changes.problem} onAgain={changes.again} kept={changes.data !== undefined} />
      {changes.data === undefined ? (
        changes.problem === undefined && <Skeletons rows={3} height={30} />
      ) : (
        <ChangeList
          changes={list}
          marks={marksOf(list, Date.now() - rangeMs[range])}
          onMore={more ? () => setLimit(200) : undefined}
        />
      )}
    </>
  )
  if (isGone) {
    const end = endIn(list)
    return (
      <>
        <PageHead title={title} />
        <div className="page scroll guest-page">
          <section className="empty">
            <h2>
              {end === undefined
                ? `The cluster has no guest ${vmid} now.`
                : `${vmid} ${name} was destroyed on ${exactTime(end.at)}.`}
            </h2>
          </section>
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
        phoneDetail={guest && `${guest.type === 'vm' ? 'VM' : 'CT'} on ${guest.node}, ${guest.status}`}
      >
        <nav className="filters" aria-label="Parts of this guest">
          {tabs.map((known) => (
            <Link key={known} to={linkTo({ tab: known })} replace aria-current={known === tab ? 'true' : undefined}>
              {tabWord[known]}
              {known === 'backups' && read.data?.backups != null && (
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
          <Missing of={read.data} />
          <div className="guest-split">
            <div className="guest-main">
              {tab === 'overview' && (
                <>
                  <Suspense fallback={<div className="charts" aria-busy="true" />}>
                    <Charts
                      name={`guest/${vmid}`}
                      range={range}
                      fields={['cpuRatio', 'ramRatio', 'netBps', 'diskRatio']}
                      marks={marksOf(list, Date.now() - rangeMs[range])}
                    />
                  </Suspense>
                  <div className="guest-pair">
                    <StandsOn guest={guest} config={read.data?.config} state={state as ClusterState} />
                    <Leaning reply={read.data} />
                  </div>
                </>
              )}
              {tab === 'config' && <ConfigList config={read.data?.config} />}
              {tab === 'backups' && <BackupList reply={read.data} most={500} />}
              {(tab === 'overview' || tab === 'changes') && (
                <>
                  <PanelHead title="Changed">{list.length > 0 && `${list.length}${more ? ' and more' : ''}`}</PanelHead>
                  {changeList}
                </>
              )}
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
        </div>
      )}
    </>
  )
}

const isUnderWay = ({ state, goesBackAt }: Change) =>
  state === 'armed' || (state === 'undoing' && goesBackAt !== undefined)

/** Of a VM and of a container under this number: which of them it was is known by its changes alone once it is gone. */
async function changesOf(vmid: number, limit: number): Promise<Change[]> {
  const found = await Promise.all([readChanges(`vm/${vmid}`, limit), readChanges(`ct/${vmid}`, limit)])
  return found
    .flatMap(({ items }) => items)
    .sort((a, b) => b.at - a.at)
    .slice(0, limit)
}

/** What of its state takes a sentence. */
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

/** Acts on the guest; each is the call that its words say, asked for in a new chat. */
function GuestActs({
  guest,
  state,
  reply,
  onAsk,
}: {
  guest: Guest
  state: ClusterState
  reply: GuestReply | undefined
  onAsk: ((command: string) => void) | undefined
}) {
  const { vmid } = guest
  const taken = new Set(reply?.snapshots?.items.map(({ name }) => name))
  const day = new Date().toISOString().slice(2, 16).replace(/\D/g, '')
  const name = [`by-hand-${day}`, `by-hand-${day}-2`].find((free) => !taken.has(free)) ?? `by-hand-${Date.now()}`
  // Where its backups are, else any storage that holds some.
  const storage =
    reply?.backups?.items[0]?.storage ??
    state.storages.find(({ content, isActive }) => isActive === true && content.includes('backup'))?.name
  const acts: Act[] = [
    ...(storage === undefined ? [] : [{ label: 'Back up now', tool: 'back_up_guest', input: { vmid, storage } }]),
    ...(guest.isTemplate === true ? [] : [{ label: 'Snapshot', tool: 'take_snapshot', input: { vmid, name } }]),
    ...actsOfGuest(guest),
    { label: 'Prove a restore', tool: 'drill_restore', input: { vmid } },
  ]
  return <Acts acts={acts} onAsk={onAsk} hasDots />
}

/** `[` `]` the guests before and after, `1` to `4` the tabs, `U` the Undo of the change with the focus, else to the newest. */
function useGuestKeys(guests: readonly Guest[]) {
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  onKey.current = (event) => {
    const { target, key } = event
    const isField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
    if (isField || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    if (overlay.get() !== undefined || document.querySelector('dialog[open]') !== null) return
    if (keep.get('letters') === 'off') return
    // A row that goes back by itself has keys of its own.
    if (target instanceof HTMLElement && target.closest('.goes-back') !== null) return
    const tab = tabs[Number(key) - 1]
    // By the address: the page of the key before may not be drawn yet.
    const { pathname, search } = location
    const vmid = Number(pathname.split('/')[2])
    if (key === '[' || key === ']') {
      const all = guests.map((known) => known.vmid).sort((a, b) => a - b)
      const next = key === ']' ? all.find((id) => id > vmid) : all.findLast((id) => id < vmid)
      if (next !== undefined) navigate(`/guest/${next}${search}`)
    } else if (tab !== undefined)
      navigate(`${pathname}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(search)), tab })}`, {
        replace: true,
      })
    else if (key === 'u' || key === 'U') {
      const row = document.activeElement?.closest('[data-change-row]')
      const undo = (row ?? document).querySelector<HTMLButtonElement>('[data-undo]')
      if (row == null) undo?.focus()
      else undo?.click()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    // Before the frame's own keys, of which two are the same.
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [])
}
