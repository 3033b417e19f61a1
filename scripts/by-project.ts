import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { projectNames } from './test-projects.ts'

const rank = ({ project }: TestSpecification) => (projectNames as readonly string[]).indexOf(project.name)

/**
 * One project after another, those first whose files take the longest: a worker changes from one to the next only once, and the last files are
 * short, so that no core idles at the end. Within a project Vitest's order stays: by the last duration, else by size.
 */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
