import type { Change, GuestReply } from 'protocol'
import { call } from '../../api/http.ts'
import { useLoad } from '../../api/use-load.ts'
import { leftBy } from '../../app/changes/left-by.ts'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { when } from '../../features/confirmations/undo-words.ts'
import { ago, plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import { againstChange, againstSnapshot, type Difference } from './difference.ts'
import { ConfigList } from './parts.tsx'

type Config = NonNullable<GuestReply['config']>
type Props = {
  vmid: number
  reply: GuestReply | undefined
  changes: readonly Change[]
  /** The comparison: `snapshot:NAME` or `change:ID`. Empty: none. */
  against: string
  onAgainst: (against: string) => void
}

/** The configuration, and its differences to a snapshot or to the state after a change. */
export function ConfigTab({ vmid, reply, changes, against, onAgainst }: Props) {
  const now = useNow(60_000)
  const config = reply?.config
  const [, kind, id = ''] = /^(snapshot|change):(.+)$/.exec(against) ?? []
  const snapshots = [...(reply?.snapshots?.items ?? [])].reverse()
  const settings = changes.filter((change) => change.state !== 'failed' && leftBy(change) !== undefined)
  const change = kind === 'change' ? changes.find((known) => known.id === id) : undefined
  const left = change && leftBy(change)
  const isListed =
    against === '' ||
    (kind === 'snapshot' ? snapshots.some(({ name }) => name === id) : settings.some((s) => s.id === id))
  if (reply === undefined) return <Skeletons rows={20} height={30} />
  return (
    <>
      <label className="guest-compare">
        Compare with
        <select className="field" value={against} onChange={(event) => onAgainst(event.currentTarget.value)}>
          <option value="">nothing</option>
          {!isListed && <option value={against}>{id}, which is not there any more</option>}
          {snapshots.map(({ name, takenAt }) => (
            <option key={name} value={`snapshot:${name}`}>
              the snapshot {name}
              {takenAt !== undefined && `, ${ago(takenAt, now)}`}
            </option>
          ))}
          {settings.map((known) => (
            <option key={known.id} value={`change:${known.id}`}>
              {when(known.at, now)}: {known.sentence}
            </option>
          ))}
        </select>
        {snapshots.length + settings.length === 0 && (
          <small className="text-dim">It has no snapshot, and JARVIS changed none of its settings.</small>
        )}
      </label>
      {config != null && kind === 'snapshot' && <Snapshot key={id} vmid={vmid} name={id} config={config} />}
      {config != null && left !== undefined && (
        <Differences title="Since that change" of="that change left" {...againstChange(left, config)} />
      )}
      <ConfigList config={config} />
    </>
  )
}

function Snapshot({ vmid, name, config }: { vmid: number; name: string; config: Config }) {
  const read = useLoad(`snapshot ${vmid} ${name} ${config.digest}`, () =>
    call('GET /api/guests/:vmid/snapshots/:name', { params: { vmid: String(vmid), name } }),
  )
  if (read.data === undefined) return <Problem error={read.problem} onAgain={read.again} />
  return (
    <Differences
      title={`Since ${name}`}
      of={`the snapshot ${name} holds`}
      {...againstSnapshot(read.data.values, config)}
    />
  )
}

/** The differences as a text: old values struck through, new values on a tint, each with its sign. */
function Differences({
  title,
  of,
  found,
  secrets,
}: {
  title: string
  of: string
  found: readonly Difference[]
  secrets: readonly string[]
}) {
  return (
    <section aria-label={title}>
      <PanelHead title={title}>{found.length === 0 ? 'no difference' : plural(found.length, 'difference')}</PanelHead>
      {found.length === 0 && <p className="guest-note">It is configured as {of}.</p>}
      <dl className="guest-config guest-differences">
        {found.map(({ key, then, now }) => (
          <div key={key}>
            <dt className="mono">{key}</dt>
            <dd className="mono">
              {then !== undefined && (
                <del>
                  <span aria-hidden="true">- </span>
                  <Visible text={then} />
                </del>
              )}
              {now !== undefined && (
                <ins>
                  <span aria-hidden="true">+ </span>
                  <Visible text={now} />
                </ins>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {secrets.length > 0 && <p className="guest-note">Not compared, for it holds a secret: {secrets.join(', ')}.</p>}
    </section>
  )
}
