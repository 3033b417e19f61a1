import type { StorageReply } from 'protocol'
import { storageSeries } from 'protocol/facts'
import { call } from '../../api/http.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { useAskNew } from '../../app/use-ask.ts'
import { StorageFacts } from '../../features/cluster/detail-facts.tsx'
import { storagePath } from '../../features/cluster/paths.ts'
import { useCluster } from '../../features/cluster/store.ts'
import { exactTime, size } from '../../lib/format.ts'
import { useSearchParams } from '../../lib/location.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { visibleText } from '../../ui/visible.ts'
import { useBounded } from './more.tsx'
import { Thing } from './thing.tsx'

/** One storage: how full it is and was, what stands on it, its alerts, and what JARVIS changed on it. */
export function StoragePage({ name }: { name: string }) {
  const { state } = useCluster()
  const [params] = useSearchParams()
  const onAsk = useAskNew()
  const named = (state?.storages ?? []).filter((storage) => storage.name === name)
  const node = params.get('node') ?? undefined
  const storage = named.find((one) => one.node === node) ?? (named.length === 1 ? named[0] : undefined)
  const id = storageSeries(storage ?? { name, node })
  const isGone = state !== undefined && storage === undefined && !state.unread?.includes('storages')
  if (node === undefined && named.length > 1)
    return (
      <>
        <PageHead title={name} name={name}>
          <span className="flex-1" />
        </PageHead>
        <div className="page scroll guest-page thing-page">
          <Empty title={`${named.length} nodes have a storage ${visibleText(name)}.`}>
            <ul>
              {named.map((one) => (
                <li key={one.node}>
                  <Link to={storagePath(one)} className="text-link">
                    <Visible text={one.node ?? name} />
                  </Link>
                </li>
              ))}
            </ul>
          </Empty>
        </div>
      </>
    )
  const where = node === undefined ? '' : ` on ${node}`
  return (
    <Thing
      title={name}
      phoneDetail={storage && (storage.node === undefined ? 'shared storage' : `storage on ${storage.node}`)}
      gone={isGone ? `storage ${name}${where}` : undefined}
      id={id}
      fields={['usedRatio']}
      isAbout={({ object }) => object.id === id}
      facts={storage && <StorageFacts storage={storage} onAsk={onAsk} />}
    >
      {storage !== undefined && <Contents key={id} {...storage} />}
    </Thing>
  )
}

/** The volumes on a storage, largest first. */
function Contents({ name, node, isActive }: { name: string; node?: string | undefined; isActive: boolean | null }) {
  const { data, problem, again } = useLoad(
    `storage ${node} ${name} ${isActive}`,
    () => call('GET /api/storages/:name', { params: { name }, query: { node } }),
    ['connect', 'changes'],
  )
  const [shown, more] = useBounded(data?.items ?? [])
  return (
    <>
      <PanelHead title="Stands on it">{data?.items != null && headOf(data)}</PanelHead>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined && problem === undefined && <p className="guest-note" aria-busy="true" />}
      {data?.missing.map((line) => (
        <p key={line} className="guest-note">
          <Mark kind="unknown" size={10} /> Not known: <Visible text={line} />.
        </p>
      ))}
      {data?.items?.length === 0 && <p className="guest-note">Nothing stands on it, as far as the token sees.</p>}
      <ul className="guest-rows">
        {shown.map(({ id, content, vmid, sizeBytes, createdAt }) => (
          <li key={id}>
            <Mark kind="step" size={8} />
            <span>
              <Visible text={id.slice(id.indexOf(':') + 1)} />
              <small>
                {wordOf[content] ?? content}
                {vmid !== undefined && (
                  <>
                    {' of '}
                    <Link to={`/guest/${vmid}`}>
                      <span className="num">{vmid}</span> <NameOf vmid={vmid} />
                    </Link>
                  </>
                )}
                {createdAt !== undefined && `, ${exactTime(createdAt, Date.now())}`}
              </small>
            </span>
            <span className="num text-dim">{sizeBytes === undefined ? '–' : size(sizeBytes)}</span>
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

const wordOf: Readonly<Record<string, string>> = {
  images: 'disk',
  rootdir: 'disk',
  backup: 'backup',
  iso: 'ISO image',
  vztmpl: 'template',
  snippets: 'snippet',
}

const headOf = ({ items, total }: StorageReply) => {
  const bytes = size((items ?? []).reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0))
  return total > (items?.length ?? 0) ? `the largest ${items?.length} of ${total}, ${bytes}` : `${total}, ${bytes}`
}

function NameOf({ vmid }: { vmid: number }) {
  const name = useCluster().state?.guests.find((guest) => guest.vmid === vmid)?.name
  return name === undefined ? null : <Visible text={name} />
}
