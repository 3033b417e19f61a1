import type { Line } from './catalogue.ts'

const most = 10

/**
 * Returns the ten skills whose names and descriptions match the most words of a query. A query word matches if a word of the skill begins with it.
 */
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
