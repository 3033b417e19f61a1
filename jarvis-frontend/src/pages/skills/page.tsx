import type { Skill, SkillList } from 'protocol'
import { listSkills } from '../../api/skills.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Skeletons } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { moveFocus, usePageKeys } from '../../app/use-page-keys.ts'
import { stateWords } from '../../features/skills/words.ts'
import { plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { AddSkill } from './add-skill.tsx'
import './page.css'

/** The skills of the workspace: approved skills, and skills that wait for a person to read them. */
export function SkillsPage() {
  usePageKeys({ j: () => moveFocus('[data-row]', 1), k: () => moveFocus('[data-row]', -1) })
  const { data, problem, again } = useLoad('skills', () => listSkills(), ['skills', 'connect'])
  return (
    <>
      <PageHead>
        <span className="flex-1" />
      </PageHead>
      <div className="page scroll">
        <Problem error={problem} onAgain={again} kept={data !== undefined} />
        {data === undefined && problem === undefined && <Skeletons rows={6} height={56} />}
        <AddSkill />
        {data !== undefined && <List {...data} />}
      </div>
    </>
  )
}

function List({ items, catalogue, problem }: SkillList) {
  const { missing, tokens, most } = catalogue
  const enabled = items.filter(({ state }) => state === 'approved').length
  return (
    <div className="skill-list">
      {missing.length > 0 && (
        <p className="strip" role="alert">
          <Mark kind="bad" size={12} />
          <span>
            The catalogue is full: {missing.length} of {enabled} do not fit, so no model sees them by itself:{' '}
            {missing.join(', ')}. Shorten descriptions or turn off what is not used. /name and a search still find them.
          </span>
        </p>
      )}
      {problem !== undefined && (
        <p className="strip" role="alert">
          <Mark kind="bad" size={12} />
          <span>{problem}</span>
        </p>
      )}
      <p className="skill-note">
        {enabled} of {plural(items.length, 'skill')} may be used by models. Their names and descriptions cost each
        prompt about <span className="num">{tokens}</span> of <span className="num">{most}</span> tokens.
      </p>
      {items.length === 0 && (
        <Empty title="There is no skill.">
          <p className="text-dim">Add one above, or put its folder into workspace/skills of the data dir.</p>
        </Empty>
      )}
      <ul>
        {items.map((skill) => (
          <Row key={skill.name} skill={skill} />
        ))}
      </ul>
    </div>
  )
}

function Row({ skill }: { skill: Skill }) {
  const { name, description, fileCount, isShipped, hints } = skill
  const { mark, words } = stateWords(skill)
  return (
    <li>
      <Link to={`/agents/skills/${encodeURIComponent(name)}`} data-row={name}>
        <Mark kind={mark} size={12} />
        <span className="skill-what">
          <b>
            <Visible text={name} />
          </b>{' '}
          <small>{words}</small>
          <span className="skill-about">
            <Visible text={description} />
          </span>
        </span>
        <small className="skill-facts">
          {isShipped ? 'came with JARVIS' : plural(fileCount, 'file')}
          {hints.length > 0 && `, ${plural(hints.length, 'line')} to look at`}
        </small>
      </Link>
    </li>
  )
}
