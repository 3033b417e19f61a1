import type { WorkbenchBody, WorkbenchSection } from 'protocol'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { useNewest } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { Areas } from '../../features/settings/workbench/areas.tsx'
import { Roots } from '../../features/settings/workbench/roots.tsx'
import { Sites } from '../../features/settings/workbench/sites.tsx'
import { Unsaved } from '../../features/settings/workbench/unsaved.tsx'
import { DiffLines } from '../../ui/file-diff.tsx'
import { Section, useRights } from './section.tsx'
import './workbench.css'

/** Turns the parts of the workbench on and off, and shows the files and sites that JARVIS may use. */
export function Workbench() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again, put } = useNewest('workbench', () => call('GET /api/workbench'), [
    'connect',
    'settings',
  ])
  /** Unsaved changes, with the hash of the file that they are based on. */
  const [draft, setDraft] = useState<WorkbenchBody>()
  const section = draft?.section ?? data?.section
  const change =
    data === undefined || data.problem !== undefined || isResting
      ? undefined
      : (next: WorkbenchSection) => {
          const isAsSaved = JSON.stringify(next) === JSON.stringify(data.section)
          setDraft(isAsSaved ? undefined : { section: next, hash: draft?.hash ?? data.hash })
        }
  const save = async () => {
    if (draft === undefined) return
    put(await call('PUT /api/workbench', { body: draft }))
    setDraft(undefined)
    say('Saved. It counts from now on.')
  }
  return (
    <Section id="workbench" title="Workbench">
      <p>
        Files, commands, the web, a browser, Git and Docker of the machine that JARVIS runs on. All of it is off until
        an owner turns it on here, by <code>jarvis workbench</code>, or in <code>policy.yaml</code>.
      </p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data?.problem !== undefined && (
        <FormProblem text={`It cannot be changed here now. ${data.problem} Mend the file by hand.`} />
      )}
      {data === undefined || section === undefined ? (
        problem === undefined && <Skeletons rows={6} height={46} />
      ) : (
        <>
          <Areas areas={data.areas} section={section} onChange={change} />
          <Roots inForce={data.roots} section={section} onChange={change} />
          <Sites
            title="Places of this network"
            about="What the web tools may read beside public pages: jellyfin.lan:8096. Never this machine itself or Proxmox."
            sites={section.web.private}
            placeholder="jellyfin.lan:8096"
            onChange={change && ((sites) => change({ ...section, web: { ...section.web, private: sites } }))}
          />
          <Sites
            title="Ways out of the sandbox"
            about="What a command or the browser may ask to reach; each command that wants it asks on a card. A place can receive what was read."
            sites={section.egress}
            placeholder="registry.npmjs.org:443"
            onChange={change && ((sites) => change({ ...section, egress: sites }))}
          />
          {draft !== undefined && (
            <Unsaved
              body={draft}
              isResting={isResting}
              showDiff={(file) => <DiffLines file={file} />}
              save={save}
              onDiscard={() => setDraft(undefined)}
            />
          )}
        </>
      )}
      <Resting who="owner" isOperator={isOperator} isLive={isLive} />
    </Section>
  )
}
