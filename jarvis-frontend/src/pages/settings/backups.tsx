import type { OwnBackup, OwnBackupMade } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useState } from 'react'
import { makeBackup, readBackups } from '../../api/own-backups.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { exactTime, size } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section, useRights } from './section.tsx'

const lookEveryMs = 5_000

/** Backups of JARVIS's own data: makes one, lists them, and says how one is restored. */
export function Backups() {
  const { isOperator: isOwner, isLive } = useRights()
  return (
    <Section id="backups" title="Backups of JARVIS">
      <p>
        A backup has the database with all conversations and the journal, the workspace, policy.yaml, agents.yaml and
        mcp.json. Guests of the cluster are backed up by Proxmox, not here.
      </p>
      {isOwner ? <Kept isLive={isLive} /> : <Resting who="owner" isOperator={false} isLive={isLive} />}
    </Section>
  )
}

function Kept({ isLive }: { isLive: boolean }) {
  const { data, problem, again } = useLoad('backups', readBackups, ['connect'])
  const [isBusy, setBusy] = useState(false)
  const [made, setMade] = useState<OwnBackupMade>()
  const [refused, setRefused] = useState<ApiError>()
  const make = async () => {
    setBusy(true)
    setRefused(undefined)
    try {
      setMade(await makeBackup())
      say('The backup is made and checked.')
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
    setBusy(false)
    again()
  }
  const isElsewhere = data?.isRunning === true && !isBusy
  useEffect(() => {
    if (!isElsewhere) return
    const timer = setInterval(again, lookEveryMs)
    return () => clearInterval(timer)
  }, [isElsewhere, again])
  const newest = data?.items[0]
  return (
    <>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={3} height={46} />
      ) : (
        <>
          {data.items.length === 0 ? (
            <p>There is none in {data.dir} yet.</p>
          ) : (
            <ul className="fact-list" aria-label="Backups">
              {data.items.map((backup) => (
                <Row key={backup.name} backup={backup} />
              ))}
            </ul>
          )}
          <button
            type="button"
            className="button add-provider"
            disabled={isBusy || data.isRunning || !isLive}
            onClick={() => void make()}
          >
            {isBusy || data.isRunning ? 'Being made' : 'Make a backup now'}
          </button>
          <Problem error={refused} isRefusal />
          {made !== undefined && <Said made={made} />}
          <p>
            They lie on the same disk as JARVIS: copy them to another machine. A backup holds everybody’s conversations,
            so this page hands none out. Up to {data.most} are kept here; delete old ones on the machine. To write one
            elsewhere, or every night: <code>npm run jarvis -- backup /mnt/nas/jarvis.db</code>
          </p>
          <h3>Restore one</h3>
          <p>
            Stop JARVIS first. The command shows what changes and asks before it does anything; the present database is
            kept.
          </p>
          <div className="strip command">
            <pre>{`npm run jarvis -- restore ${newest?.path ?? 'FILE'}`}</pre>
            <CopyButton text={`npm run jarvis -- restore ${newest?.path ?? 'FILE'}`} label="Copy the command" />
          </div>
          <p>
            Secrets in it stay sealed. The key that opens them is not in it, so keep a copy of that key elsewhere (
            <code>npm run jarvis -- secrets status</code> says where it is).
          </p>
        </>
      )}
    </>
  )
}

const Row = ({ backup: { path, at, bytes } }: { backup: OwnBackup }) => (
  <li>
    <Mark kind="ok" size={11} />
    <span>{exactTime(at)}</span>
    <span className="text-soft mono">
      <Visible text={path} />
    </span>
    <span className="num text-soft">{size(bytes)}</span>
  </li>
)

const Said = ({ made: { problem, notes } }: { made: OwnBackupMade }) => (
  <div role="status">
    <p>
      <b>{problem === undefined ? 'Made and checked.' : 'Made, but look at this:'}</b>{' '}
      {problem !== undefined && <Visible text={problem} />}
    </p>
    {notes.map((note) => (
      <p key={note}>
        <Visible text={note} />
      </p>
    ))}
  </div>
)
