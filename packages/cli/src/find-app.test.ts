import type { Application, Project } from '@berth/contract'
import { describe, expect, it } from 'vitest'
import { pickApp } from './find-app.ts'

const app = (id: number, name: string, projectId: number) => ({ id, name, slug: name.toLowerCase(), project_id: projectId }) as Application // the fields that are looked at
const project = (id: number, name: string) => ({ id, name }) as Project // as above
const projects = [project(1, 'Shop'), project(2, 'Blog')]
const apps = [app(1, 'web', 1), app(2, 'web', 2), app(3, 'Worker', 1), app(4, '7', 1), app(7, 'seven', 1)]

describe('an app on the command line', () => {
  it('is found by its name, in any case', () => {
    expect(pickApp('worker', apps, projects).id).toBe(3)
  })

  it('is found by its number', () => {
    expect(pickApp('3', apps, projects).id).toBe(3)
  })

  it('is found by its project and its name', () => {
    expect(pickApp('blog/web', apps, projects).id).toBe(2)
  })

  it('is the one of that name when another has it as its number', () => {
    expect(pickApp('7', apps, projects).id).toBe(4)
  })

  it('needs its project when two projects have an app of that name', () => {
    expect(() => pickApp('web', apps, projects)).toThrow('Shop/web, Blog/web')
  })

  it('must exist', () => {
    expect(() => pickApp('nothing', apps, projects)).toThrow('There is no app "nothing"')
  })
})
