import { describe, expect, it } from 'vitest'
import { summaryOf } from './dockerfile-summary.ts'

const read = (text: string, { buildArgs = {}, target = '' }: { buildArgs?: Record<string, string>; target?: string } = {}) =>
  summaryOf(text, { buildArgs, target })

describe('what a Dockerfile says about its image', () => {
  it('is the base, the command and the ports of the last stage', () => {
    const text = [
      '# syntax=docker/dockerfile:1',
      'FROM golang:1.24 AS build',
      'EXPOSE 6060',
      'RUN go build -o /app .',
      'FROM alpine:3',
      'EXPOSE 8080 9090/tcp 53/udp',
      'CMD ["/app", "--port", "8080"]',
    ]
    expect(read(text.join('\n'))).toEqual({ base: 'alpine:3', start: '/app --port 8080', ports: [8080, 9090] })
    expect(read(text.join('\r\n'), { target: 'build' })).toEqual({ base: 'golang:1.24', start: '', ports: [6060] })
    expect(read(text.join('\n'), { target: 'nowhere' })).toEqual({ base: '', start: '', ports: [] })
  })

  it('has at most a hundred ports, also where thousands of stages share them', () => {
    const ports = Array.from({ length: 9000 }, (_, n) => n + 1)
    const text = `FROM x AS a\nEXPOSE ${ports.slice(0, 700).join(' ')}\n${`EXPOSE ${'1 '.repeat(1900)}\n`.repeat(9)}${'FROM a\n'.repeat(4600)}`
    expect(read(text).ports).toEqual(ports.slice(0, 100))
  })

  it('has no base that is longer than any image name with its arguments', () => {
    expect(read(`ARG A=${'x'.repeat(900)}\nFROM $A`).base).toHaveLength(900)
    expect(read(`ARG A=${'x'.repeat(3900)}\n${`FROM ${'$A'.repeat(1300)}\n`.repeat(16)}`).base).toBe('')
  })

  it('comes from an earlier stage where the last one begins with that', () => {
    const text = 'FROM node:24 AS base\nEXPOSE 3000\nCMD node server.js\nFROM base\nENTRYPOINT ["tini", "--"]\nCMD ["node", "server.js"]'
    expect(read(text)).toEqual({ base: 'node:24', start: 'tini -- node server.js', ports: [3000] })
    expect(read('FROM node:24 AS base\nCMD node a.js\nFROM base\nENTRYPOINT ["tini"]').start).toBe('tini')
  })

  it('has the arguments above the first stage filled in, or no base if one has no value', () => {
    const text =
      'ARG NODE=22\nARG OTHER\nFROM --platform=linux/amd64 node:${NODE}-slim AS a\nFROM node:$NODE AS b\nFROM x:$OTHER AS c\nFROM x:${MORE:-1} AS d'
    const bases = (buildArgs = {}) => ['a', 'b', 'c', 'd'].map((target) => read(text, { target, buildArgs }).base)
    expect(bases()).toEqual(['node:22-slim', 'node:22', '', 'x:1'])
    expect(bases({ NODE: '24', OTHER: '7' })).toEqual(['node:24-slim', 'node:24', 'x:7', 'x:1'])
  })

  it('is not found in comments, continued lines or here-documents', () => {
    const text = 'FROM a\nRUN echo \\\n  # a comment\n  EXPOSE 1 \\\n  CMD x\nRUN <<EOF\nEXPOSE 2\nCMD y\nEOF\n# EXPOSE 3\ncmd z'
    expect(read(text)).toEqual({ base: 'a', start: 'z', ports: [] })
  })

  it.each(['', 'CMD x', 'FROM', '[', 'FROM a\nCMD [1,', `FROM a\nCMD ${'x '.repeat(100_000)}`])('is read from anything: %.20s', (text) => {
    expect(read(text).ports).toEqual([])
  })
})
