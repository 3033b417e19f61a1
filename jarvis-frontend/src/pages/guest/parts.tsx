import type { Backup, ClusterState, GuestReply, RestoreProof } from 'protocol'
import { shareOf } from 'protocol/facts'
import { type Act, Acts } from '../../features/cluster/acts.tsx'
import { backupTone, guestMark, nodeMark, storageTone } from '../../features/cluster/health.ts'
import { Lock } from '../../features/cluster/parts.tsx'
import { nodePath, storagePath } from '../../features/cluster/paths.ts'
import { StateMark } from '../../features/cluster/state-mark.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { ago, dayOf, exactTime, gibOf, percent, plural, size, sizeOf, span } from '../../lib/format.ts'
import { Boxed, Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import { proofWords, rungs, storagesIn } from './facts.ts'
import { useBounded } from './more.tsx'

type Guest = ClusterState['guests'][number]
type Reply = GuestReply | undefined

const Unread = () => <p className="guest-note">Not known: it could not be read.</p>
const Reading = () => <p className="guest-note" aria-busy="true" />

/** The guest's state, use and limits as figures. */
export function Vitals({ guest, proof }: { guest: Guest; proof: RestoreProof | null | undefined }) {
  const { issues, isLive } = useCluster()
  const now = useNow(60_000)
  const isUp = guest.status === 'running'
  const proven = proofWords(proof, now)
  const ram = shareOf(guest.ramBytes, guest.ramTotalBytes)
  const disk = shareOf(guest.diskBytes, guest.diskTotalBytes)
  const tone = backupTone(guest, now)
  const word = guest.isTemplate === true ? 'Template' : guest.status
  const { backupAt } = guest
  return (
    <dl className="guest-vitals">
      <div>
        <dt>
          <StateMark kind={guestMark(guest, issues, isLive)} size={9} />
          <span className="guest-word">{word}</span>
          {guest.isProtected && <Lock />}
        </dt>
        <dd>
          {isUp && guest.uptimeS !== null ? span(guest.uptimeS * 1_000) : '–'}{' '}
          <small>
            {guest.type === 'vm' ? 'VM' : 'CT'} on {guest.node}
          </small>
        </dd>
      </div>
      <div>
        <dt>CPU</dt>
        <dd>
          {isUp && guest.cpuRatio !== null ? percent(guest.cpuRatio) : '–'}{' '}
          <small>{guest.cpuCount === null ? 'cores not known' : plural(guest.cpuCount, 'core')}</small>
        </dd>
      </div>
      <div>
        <dt>Memory</dt>
        <dd>
          {isUp && ram !== undefined ? percent(ram) : '–'}{' '}
          <small>{gibOf(isUp ? guest.ramBytes : null, guest.ramTotalBytes)} GiB</small>
        </dd>
      </div>
      <div>
        <dt>Disk</dt>
        <dd>
          {disk === undefined || guest.diskBytes === 0 ? '–' : percent(disk)}{' '}
          <small>
            {guest.diskTotalBytes === null
              ? ''
              : guest.diskBytes === null || guest.diskBytes === 0
                ? size(guest.diskTotalBytes)
                : sizeOf(guest.diskBytes, guest.diskTotalBytes)}
          </small>
        </dd>
      </div>
      <div>
        <dt>
          {tone !== undefined && <Mark kind={tone} size={10} />}
          Backup
        </dt>
        <dd>
          {typeof backupAt === 'number' ? span(now - backupAt) : backupAt === null ? 'unknown' : 'none'}{' '}
          <small>{typeof backupAt === 'number' && `since ${exactTime(backupAt, now)}`}</small>
        </dd>
      </div>
      <div className="guest-restore">
        <dt>
          <Mark kind={proven.mark} size={10} />
          Restore
        </dt>
        <dd>
          {proof == null ? (proof === null ? 'never' : 'unknown') : span(now - proof.at)}{' '}
          <small>{proof == null ? '' : proof.verdict === 'proven' ? rungs[proof.level - 1] : 'failed'}</small>
        </dd>
      </div>
    </dl>
  )
}

/** The steps that a restore has proven. Steps that are not proven are named in words. */
export function Proof({
  proof,
  guest,
  isRead,
}: {
  proof: RestoreProof | null | undefined
  guest: Guest
  isRead: boolean
}) {
  const now = useNow(60_000)
  const { mark, head, detail } = proofWords(proof, now)
  const isStale = backupTone(guest, now) !== undefined
  return (
    <section>
      <PanelHead title="Restore proof" />
      {!isRead ? (
        <Reading />
      ) : (
        <>
          <p className="guest-proof">
            <Mark kind={mark} />
            <span>
              <b>{head}</b>
              <span>
                <Visible text={detail} />
              </span>
            </span>
          </p>
          <ol className="guest-ladder">
            {rungs.map((rung, at) => {
              const isProven = proof != null && proof.level > at
              const kind = !isProven ? 'stopped' : rung === 'fresh' && isStale ? 'warn' : 'ok'
              return (
                <li key={rung} className={isProven ? '' : 'text-dim'}>
                  <Mark kind={kind} size={9} label={isProven ? 'proven:' : 'not proven:'} />
                  {rung}
                </li>
              )
            })}
          </ol>
        </>
      )}
    </section>
  )
}

export function StandsOn({
  guest,
  config,
  state,
}: {
  guest: Guest
  config: GuestReply['config'] | undefined
  state: ClusterState
}) {
  const { issues, isLive } = useCluster()
  const node = state.nodes.find(({ name }) => name === guest.node)
  return (
    <section>
      <PanelHead title="Stands on" />
      <ul className="guest-rows">
        <li>
          {node === undefined ? <Mark kind="unknown" /> : <StateMark kind={nodeMark(node, issues, isLive)} size={10} />}
          <span>
            <Link to={nodePath(guest.node)}>{guest.node}</Link>{' '}
            <span className="text-dim">its node, {node?.status ?? 'not known'}</span>
          </span>
        </li>
        {config === null && (
          <li>
            <Mark kind="unknown" />
            <span className="text-dim">its storages are not known</span>
          </li>
        )}
        {storagesIn(config ?? null).map((name) => {
          const known = state.storages.find(
            (storage) => storage.name === name && (storage.node === undefined || storage.node === guest.node),
          )
          const full = shareOf(known?.usedBytes, known?.totalBytes)
          return (
            <li key={name}>
              <Mark
                kind={known === undefined || full === undefined ? 'unknown' : (storageTone(known) ?? 'running')}
                size={10}
              />
              <span>
                {known === undefined ? name : <Link to={storagePath(known)}>{name}</Link>}{' '}
                <span className="text-dim">
                  its disks, {full === undefined ? 'fill not known' : `${percent(full)} full`}
                </span>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export function Leaning({ reply }: { reply: Reply }) {
  return (
    <section>
      <PanelHead title="Leans on it" />
      {reply === undefined ? (
        <Reading />
      ) : (
        <ul className="guest-rows">
          {reply.isOwn && (
            <li>
              <Mark kind="warn" size={10} />
              <span>JARVIS runs on it</span>
            </li>
          )}
          {reply.leansOn.map((line) => (
            <li key={line}>
              <Mark kind="running" size={10} />
              <span>
                <Visible text={line} />
              </span>
            </li>
          ))}
          {reply.groups.map(({ name, others }) => (
            <li key={name}>
              <Mark kind="running" size={10} />
              <span>
                Group <Boxed text={name} />{' '}
                <span className="text-dim">
                  {others.length === 0
                    ? 'there is no other in it'
                    : `stands in for it: ${others.map(({ vmid, status }) => `${vmid} ${status}`).join(', ')}`}
                </span>
              </span>
            </li>
          ))}
          {!reply.isOwn && reply.leansOn.length + reply.groups.length === 0 && (
            <li>
              <Mark kind="none" size={10} />
              <span className="text-dim">Nothing known by roles, names, tags and groups.</span>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

/** The configuration as Proxmox has it, without secrets, and beside it the changes that wait for the next stop. */
export function ConfigList({ config }: { config: GuestReply['config'] | undefined }) {
  const pending = config?.pending ?? {}
  const keys = [...new Set([...Object.keys(config?.values ?? {}), ...Object.keys(pending)])].sort()
  const [shown, more] = useBounded(keys)
  return (
    <section>
      <PanelHead title="Config">{config != null && `digest ${config.digest.slice(0, 8)}`}</PanelHead>
      {config === undefined ? (
        <Reading />
      ) : config === null ? (
        <Unread />
      ) : (
        <dl className="guest-config">
          {shown.map((key) => (
            <div key={key}>
              <dt className="mono">{key}</dt>
              <dd className="mono">
                <Visible text={config.values[key] ?? ''} />
                {Object.hasOwn(pending, key) && (
                  <small>
                    {' from its next stop: '}
                    {pending[key] === null ? 'goes' : <Visible text={pending[key] ?? ''} />}
                  </small>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {more}
    </section>
  )
}

const backupsHead = (total: number, bytes: number, isPartial: boolean) =>
  total === 0 ? (isPartial ? 'not known' : 'none') : `${total}${isPartial ? ' known' : ''}, ${size(bytes)}`

export function BackupList({ reply, most: first }: { reply: Reply; most?: number }) {
  const now = useNow(60_000)
  const backups = reply?.backups
  const [shown, more] = useBounded(backups?.items ?? [], first)
  const bytes = (backups?.items ?? []).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return (
    <section>
      <PanelHead title="Backups">{backups != null && backupsHead(backups.total, bytes, backups.isPartial)}</PanelHead>
      {reply === undefined ? <Reading /> : backups === null && <Unread />}
      {reply?.otherBackups.map((line) => (
        <p key={line} className="guest-note">
          <Mark kind="warn" size={9} /> <Visible text={line} />
        </p>
      ))}
      <ul className="guest-rows">
        {shown.map(({ volumeId, createdAt, storage, sizeBytes, verification, whoseWords }) => (
          <li key={volumeId}>
            <Mark kind={backupMark(verification, whoseWords)} size={9} />
            <span>
              <span title={volumeId}>{exactTime(createdAt, now)}</span>
              <small>
                {storage}, {size(sizeBytes)}
                {verification === 'ok' ? ', verified' : verification === 'failed' ? ', verification FAILED' : ''}
                {whoseWords !== undefined && ', not proven its own'}
              </small>
            </span>
            <span className="num text-dim">{span(now - createdAt)}</span>
          </li>
        ))}
      </ul>
      {more}
    </section>
  )
}

/** A verified backup of another guest with the same vmid proves nothing for this guest. */
const backupMark = (verification: Backup['verification'], whoseWords: string | undefined): MarkKind =>
  verification === 'failed' ? 'bad' : whoseWords !== undefined ? 'unknown' : verification === 'ok' ? 'ok' : 'step'

export function SnapshotList({
  reply,
  vmid,
  onAsk,
}: {
  reply: Reply
  vmid: number
  onAsk: ((command: string) => void) | undefined
}) {
  const now = useNow(60_000)
  const snapshots = reply?.snapshots
  const [shown, more] = useBounded([...(snapshots?.items ?? [])].reverse(), 10)
  return (
    <section>
      <PanelHead title="Snapshots">{snapshots != null && (snapshots.items.length || 'none')}</PanelHead>
      {reply === undefined ? <Reading /> : snapshots === null && <Unread />}
      <ul className="guest-rows">
        {shown.map(({ name, takenAt, hasRam, description }) => (
          <li key={name}>
            <Mark kind="step" size={9} />
            <span>
              <Boxed text={name} />
              <small>
                {takenAt === undefined ? 'age not known' : `${ago(takenAt, now)}, ${dayOf(takenAt)}`}
                {hasRam && ', with RAM'}
                {description !== '' && (
                  <>
                    {', '}
                    <Visible text={description} />
                  </>
                )}
              </small>
              <Acts acts={actsOn(vmid, name)} onAsk={onAsk} hasDots>
                <Link
                  className="button small"
                  to={`/guest/${vmid}?tab=config&against=${encodeURIComponent(`snapshot:${name}`)}`}
                >
                  Compare
                </Link>
              </Acts>
            </span>
          </li>
        ))}
      </ul>
      {more}
    </section>
  )
}

const actsOn = (vmid: number, name: string): Act[] => [
  { label: 'Roll back', tool: 'rollback_snapshot', input: { vmid, name } },
  { label: 'Delete', tool: 'delete_snapshot', input: { vmid, name } },
]
