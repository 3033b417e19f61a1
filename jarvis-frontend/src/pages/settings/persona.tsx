import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { readFile, writeFile } from '../../api/memory.ts'
import { readSettings } from '../../api/settings.ts'
import { useLoad, useNewest } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { Markdown } from '../../features/chat/markdown.tsx'
import { Editor } from '../../features/memory/editor.tsx'
import { capital } from '../../lib/format.ts'
import { keep } from '../../lib/keep.ts'
import '../memory/page.css'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { Section, useRights } from './section.tsx'

const texts = [
  ['SOUL.md', 'voice', 'Who JARVIS is and how it speaks.'],
  ['AGENTS.md', 'ways', 'How to work in this house: habits, order, what to look at first.'],
  ['USER.md', 'you', 'Who you are and what you want to be told.'],
  ['TOOLS.md', 'machines', 'What to know about the machines and tools that no tool tells.'],
] as const
type Path = (typeof texts)[number][0]

/** The texts with which every prompt begins. The operator edits them. */
export function Persona() {
  const [path, setPath] = useState<Path>('SOUL.md')
  const purpose = texts.find(([known]) => known === path)?.[2]
  return (
    <Section id="persona" title="Persona">
      <p>
        Four texts that every prompt begins with; up to 16,000 characters of each count, from the next message on. How
        the gate works is told to the model besides, and no text here changes the gate.
      </p>
      <fieldset className="filters">
        <legend className="vh">Which text</legend>
        {texts.map(([known, name]) => (
          <button key={known} type="button" aria-pressed={known === path} onClick={() => setPath(known)}>
            {capital(name)}
          </button>
        ))}
      </fieldset>
      <p>{purpose}</p>
      <Text key={path} path={path} />
    </Section>
  )
}

function Text({ path }: { path: Path }) {
  const { isOperator, isLive, isResting } = useRights('operator')
  const { data, problem, again, put } = useNewest(`file ${path}`, () => readFile(path), ['memory', 'connect'])
  const isAbsent = problem?.code === 'not_found'
  const [made, setMade] = useState(0)
  return (
    <>
      {problem !== undefined && !isAbsent && <Problem error={problem} onAgain={again} kept={data !== undefined} />}
      {data === undefined && !isAbsent ? (
        problem === undefined && <Skeletons rows={1} height={220} />
      ) : (
        <div className="persona">
          <Editor
            key={made}
            file={isAbsent ? undefined : data}
            path={path}
            line={undefined}
            rest={isResting ? <Resting isOperator={isOperator} isLive={isLive} /> : undefined}
            preview={(text) => <Markdown text={text} />}
            onSaved={put}
            onDeleted={again}
          />
        </div>
      )}
      {path === 'SOUL.md' && !isResting && (
        <Reset
          checksum={data?.checksum}
          text={data?.text}
          onReset={(file) => {
            put(file)
            setMade(made + 1)
          }}
        />
      )}
    </>
  )
}

/** Restores the text that JARVIS was delivered with. */
function Reset({
  checksum,
  text,
  onReset,
}: {
  checksum: string | undefined
  text: string | undefined
  onReset: (file: Awaited<ReturnType<typeof writeFile>>) => void
}) {
  const shipped = useLoad('settings', readSettings, ['connect', 'settings']).data?.shippedPersona
  const [isAsking, setAsking] = useState(false)
  const [failed, setFailed] = useState<string>()
  if (shipped === undefined || shipped === text) return null
  const reset = async () => {
    try {
      const file = await writeFile('SOUL.md', shipped, checksum)
      keep.set('draft.file.SOUL.md', undefined)
      setAsking(false)
      setFailed(undefined)
      onReset(file)
    } catch (error) {
      setFailed(`${error instanceof ApiError ? error.message : 'The answer could not be read.'} Nothing was changed.`)
    }
  }
  return (
    <div className="form-row">
      {isAsking ? (
        <>
          <button type="button" className="button small" onClick={() => void reset()}>
            Put the shipped text in its place
          </button>
          <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
            Keep mine
          </button>
        </>
      ) : (
        <button type="button" className="button small quiet" onClick={() => setAsking(true)}>
          Reset to the shipped text…
        </button>
      )}
      <FormProblem text={failed} />
    </div>
  )
}
