import type { Line } from './catalogue.ts'

const most = 10

/** The skills whose name and description have the most words of a query; a word counts where it begins one of theirs. At most ten. */
export function searchSkills<Found extends Line>(skills: readonly Found[], query: string): Found[] {
  const asked = [...new Set(wordsOf(query))]
  return skills
    .map((skill) => {
      const words = wordsOf(`${skill.name} ${skill.description}`)
      return { skill, score: asked.filter((one) => words.some((word) => word.startsWith(one))).length }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ skill }) => skill)
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
