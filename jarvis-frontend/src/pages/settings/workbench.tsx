import type { WorkbenchArea } from 'jarvis-backend/protocol'
import { useLoad } from '../../api/use-load.ts'
import { readWorkbench } from '../../api/workbench.ts'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section } from './section.tsx'

/** What JARVIS may work with beside the cluster: what is on, what is missing, and the lines that turn a part on. */
export function Workbench() {
  const load = useLoad('workbench', readWorkbench, ['settings'])
  return (
    <Section id="workbench" title="Workbench">
      <p>
        Files, commands, the web, a browser, Git and Docker of JARVIS’s machine. A part is on where the section{' '}
        <code>workbench:</code> of <code>policy.yaml</code> in the data dir says so; an edit of the file counts at once.
      </p>
      {load.problem !== undefined && <Problem error={load.problem} onAgain={load.again} />}
      {load.data === undefined && load.problem === undefined && <Skeletons rows={6} />}
      {load.data !== undefined && (
        <>
          <ul className="fact-list">
            {load.data.areas.map((area) => (
              <Area key={area.name} area={area} />
            ))}
          </ul>
          <h3>Roots</h3>
          {load.data.roots.length === 0 && <p className="text-soft">No folder is named.</p>}
          <ul className="fact-list">
            {load.data.roots.map(({ name, path, write, problem }) => (
              <li key={name}>
                <Mark kind={problem === undefined ? 'ok' : 'warn'} size={11} />
                <span>
                  <Visible text={name} />
                  <small>{write ? 'read, and changed after a card' : 'read only'}</small>
                </span>
                <span className="text-soft">
                  <code>
                    <Visible text={path} />
                  </code>
                  {problem !== undefined && (
                    <small>
                      <Visible text={problem} />
                    </small>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

const titles = {
  files: 'Files',
  exec: 'Commands',
  web: 'Web',
  browser: 'Browser',
  git: 'Git',
  docker: 'Docker',
} as const

function Area({ area: { name, isOn, missing, facts, key: lines, tools } }: { area: WorkbenchArea }) {
  const text = `workbench:\n  ${lines.replaceAll('\n', '\n  ')}`
  return (
    <li>
      <Mark kind={isOn ? (missing.length === 0 ? 'ok' : 'warn') : 'none'} size={11} />
      <span>
        {titles[name]}
        <small>{isOn ? 'on' : 'off'}</small>
      </span>
      <span className="text-soft">
        {isOn ? <code>{tools.join(', ')}</code> : 'To turn it on, write into policy.yaml:'}
        {!isOn && (
          <span className="exact mt-2">
            <code className="whitespace-pre">{text}</code>
            <CopyButton text={text} label={`Copy the lines for ${titles[name]}`} />
          </span>
        )}
        {facts.map((fact) => (
          <small key={fact}>
            <Visible text={fact} />
          </small>
        ))}
        {missing.map(({ what, remedy }) => (
          <small key={what}>
            <Visible text={`${what} is missing. ${remedy}`} />
          </small>
        ))}
      </span>
    </li>
  )
}
