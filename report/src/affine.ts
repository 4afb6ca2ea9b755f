// Indexing maps in their text form: parsed, evaluated, and their images.
//
//   parseMap("(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3]")
//
// docs/report.md has the grammar. Numbers are those of JavaScript: a value beyond 2^53 is an error.

export interface Bounds {
  lower: number;
  upper: number;
}

export interface Variable extends Bounds {
  name: string;
}

/** An expression over the values of all variables of a map. */
export interface Term {
  text: string;
  evaluate(values: readonly number[]): number;
  /** Bounds of its value where the variables have these; not always the tightest. */
  range(bounds: readonly Bounds[]): Bounds;
  /** The numbers of the variables in it. */
  variables: Set<number>;
}

export interface Constraint extends Bounds {
  term: Term;
}

/** Variables are numbered: dimensions, then ranges, then values known at run time. */
export interface IndexingMap {
  text: string;
  variables: Variable[];
  numDimensions: number;
  numRanges: number;
  results: Term[];
  constraints: Constraint[];
  isEmpty: boolean;
}

class Parser {
  private position = 0;
  private readonly tokens: string[];
  readonly names = new Map<string, number>();

  constructor(text: string) {
    this.tokens = text.match(/->|[A-Za-z_][\w.]*|\d+|[^\s\w]/g) ?? [];
  }

  peek(): string {
    return this.tokens[this.position] ?? '';
  }
  take(token: string): boolean {
    if (this.peek() !== token) return false;
    this.position++;
    return true;
  }
  expect(token: string): void {
    if (!this.take(token)) throw new SyntaxError(`expected '${token}', found '${this.peek()}'`);
  }
  next(): string {
    return this.tokens[this.position++] ?? '';
  }
  place(): number {
    return this.position;
  }
  textSince(place: number): string {
    return this.tokens.slice(place, this.position).join(' ');
  }

  list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    while (!this.take(close)) {
      if (items.length > 0) this.expect(',');
      items.push(item());
    }
    return items;
  }

  integer(): number {
    const sign = this.take('-') ? -1 : 1;
    const token = this.next();
    if (!/^\d+$/.test(token)) throw new SyntaxError(`expected a number, found '${token}'`);
    return sign * Number(token);
  }

  term(): Term {
    const begin = this.place();
    const parsed = this.sum();
    return {...parsed, text: this.textSince(begin)};
  }

  private sum(): Term {
    let left = this.product();
    for (;;) {
      if (this.take('+')) left = combine(left, this.product(), (a, b) => a + b, corners);
      else if (this.take('-')) left = combine(left, this.product(), (a, b) => a - b, corners);
      else return left;
    }
  }

  private product(): Term {
    let left = this.factor();
    for (;;) {
      if (this.take('*')) left = combine(left, this.factor(), (a, b) => a * b, corners);
      else if (this.take('floordiv')) left = combine(left, this.factor(), floorDiv, corners);
      else if (this.take('ceildiv')) left = combine(left, this.factor(), (a, b) => -floorDiv(-a, b), corners);
      else if (this.take('mod')) left = combine(left, this.factor(), mod, rangeOfMod);
      else return left;
    }
  }

  private factor(): Term {
    if (this.take('(')) {
      const inner = this.sum();
      this.expect(')');
      return inner;
    }
    if (this.take('-')) {
      const inner = this.factor();
      return {
        text: '',
        variables: inner.variables,
        evaluate: (values) => -inner.evaluate(values),
        range: (bounds) => {
          const {lower, upper} = inner.range(bounds);
          return {lower: -upper, upper: -lower};
        },
      };
    }
    const token = this.next();
    if (/^\d+$/.test(token)) {
      const value = Number(token);
      return {text: '', variables: new Set(), evaluate: () => value, range: () => ({lower: value, upper: value})};
    }
    const variable = this.names.get(token);
    if (variable === undefined) throw new SyntaxError(`'${token}' is no variable`);
    return {
      text: '',
      variables: new Set([variable]),
      evaluate: (values) => values[variable]!,
      range: (bounds) => bounds[variable]!,
    };
  }
}

type Operation = (a: number, b: number) => number;
type RangeOperation = (a: Bounds, b: Bounds, operation: Operation) => Bounds;

function floorDiv(a: number, b: number): number {
  return (a - mod(a, b)) / b;
}

function mod(a: number, b: number): number {
  const remainder = a % b;
  return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder + 0;
}

/** Of what is monotonic in each operand; divisors are constants. */
function corners(a: Bounds, b: Bounds, operation: Operation): Bounds {
  const values = [a.lower, a.upper].flatMap((x) => [operation(x, b.lower), operation(x, b.upper)]);
  return {lower: Math.min(...values), upper: Math.max(...values)};
}

function rangeOfMod(a: Bounds, b: Bounds): Bounds {
  const divisor = b.lower;
  if (floorDiv(a.lower, divisor) !== floorDiv(a.upper, divisor)) return {lower: 0, upper: divisor - 1};
  return {lower: mod(a.lower, divisor), upper: mod(a.upper, divisor)};
}

function combine(a: Term, b: Term, operation: Operation, rangeOperation: RangeOperation): Term {
  return {
    text: '',
    variables: new Set([...a.variables, ...b.variables]),
    evaluate: (values) => {
      const result = operation(a.evaluate(values), b.evaluate(values));
      if (!Number.isSafeInteger(result)) throw new RangeError('a number is beyond 2^53');
      return result;
    },
    range: (bounds) => rangeOperation(a.range(bounds), b.range(bounds), operation),
  };
}

export function parseMap(text: string): IndexingMap {
  const parser = new Parser(text);
  const variables: Variable[] = [];
  const addNames = (close: string) =>
    parser.list(close, () => {
      const name = parser.next();
      parser.names.set(name, variables.length);
      variables.push({name, lower: 0, upper: -1});
    });
  parser.expect('(');
  addNames(')');
  const numDimensions = variables.length;
  if (parser.take('[')) addNames(']');
  const numRanges = variables.length - numDimensions;
  if (parser.take('{')) addNames('}');
  parser.expect('->');
  parser.expect('(');
  const results = parser.list(')', () => parser.term());
  const map: IndexingMap = {text, variables, numDimensions, numRanges, results, constraints: [], isEmpty: false};
  if (!parser.take(',')) return map;
  parser.expect('domain');
  parser.expect(':');
  if (parser.take('KNOWN')) {
    parser.expect('EMPTY');
    map.isEmpty = true;
    return map;
  }
  parser.list('', () => {
    const term = parser.term();
    parser.expect('in');
    parser.expect('[');
    const lower = parser.integer();
    parser.expect(',');
    const upper = parser.integer();
    parser.expect(']');
    const variable = parser.names.get(term.text);
    // The first item of a variable has its bounds; what comes later holds besides.
    if (variable !== undefined && variables[variable]!.upper < variables[variable]!.lower) {
      variables[variable]!.lower = lower;
      variables[variable]!.upper = upper;
    } else {
      map.constraints.push({term, lower, upper});
    }
  });
  return map;
}

export function isInDomain(map: IndexingMap, values: readonly number[]): boolean {
  if (map.isEmpty) return false;
  for (let i = 0; i < map.variables.length; i++) {
    const {lower, upper} = map.variables[i]!;
    if (values[i]! < lower || values[i]! > upper) return false;
  }
  return map.constraints.every(({term, lower, upper}) => {
    const value = term.evaluate(values);
    return value >= lower && value <= upper;
  });
}

/** The results at a point; null outside of the domain. */
export function evaluate(map: IndexingMap, values: readonly number[]): number[] | null {
  if (!isInDomain(map, values)) return null;
  return map.results.map((result) => result.evaluate(values));
}

/** Some of the results of a map, and the tuples of values that they have together. */
export interface Part {
  results: number[];
  tuples: number[][];
}

/** A set of indices: the product of its parts, each result in one of them. */
export interface IndexSet {
  parts: Part[];
  /** Every index of the set is one for some choice of values known at run time only. */
  dependsOnRuntime: boolean;
  /** The parts are bounding boxes, as there were too many points to try. */
  isBox: boolean;
}

/** So many points of a part are tried. */
const MOST_POINTS = 1 << 18;

/**
 * Where a map leads from the indices in a box of its dimensions; null if nowhere. Exact, values
 * known at run time aside, unless isBox says otherwise.
 */
export function imageOf(map: IndexingMap, from: readonly Bounds[]): IndexSet | null {
  if (map.isEmpty) return null;
  const bounds = map.variables.map(({lower, upper}, i) =>
    i < map.numDimensions
      ? {lower: Math.max(lower, from[i]!.lower), upper: Math.min(upper, from[i]!.upper)}
      : {lower, upper},
  );
  if (bounds.some(({lower, upper}) => lower > upper)) return null;
  // Variables that a result or a constraint has in common belong to one part.
  const leader = bounds.map((_, i) => i);
  const leaderOf = (i: number): number => (leader[i] === i ? i : leaderOf(leader[i]!));
  const join = (variables: Set<number>) => {
    const [first, ...others] = variables;
    for (const other of others) leader[leaderOf(other)] = leaderOf(first!);
  };
  for (const {variables} of map.results) join(variables);
  for (const {term} of map.constraints) join(term.variables);
  const leaders = new Set(bounds.map((_, i) => leaderOf(i)));
  const belongs = (term: Term, to: number) => {
    const [first] = term.variables;
    return first !== undefined && leaderOf(first) === to;
  };
  const values = bounds.map(({lower}) => lower);
  const holds = ({term, lower, upper}: Constraint) => {
    const value = term.evaluate(values);
    return value >= lower && value <= upper;
  };
  if (!map.constraints.filter(({term}) => term.variables.size === 0).every(holds)) return null;
  const set: IndexSet = {parts: [], dependsOnRuntime: false, isBox: false};
  const first = map.numDimensions + map.numRanges;
  set.dependsOnRuntime = bounds.some(({lower, upper}, i) => i >= first && lower < upper);
  for (const head of leaders) {
    const variables = bounds.map((_, i) => i).filter((i) => leaderOf(i) === head);
    const results = map.results.map((_, i) => i).filter((i) => belongs(map.results[i]!, head));
    const constraints = map.constraints.filter(({term}) => belongs(term, head));
    if (results.length === 0 && constraints.length === 0) continue;
    const points = variables.reduce((n, i) => n * (bounds[i]!.upper - bounds[i]!.lower + 1), 1);
    const terms = results.map((i) => map.results[i]!);
    if (points > MOST_POINTS) {
      set.isBox = true;
      for (let i = 0; i < results.length; i++) {
        set.parts.push({results: [results[i]!], tuples: numbersOf(terms[i]!.range(bounds))});
      }
      continue;
    }
    // Of one result, the values themselves tell tuples apart, which is quicker.
    const tuples = new Map<string | number, number[]>();
    const visit = (depth: number) => {
      if (depth === variables.length) {
        if (!constraints.every(holds)) return;
        const tuple = terms.map((term) => term.evaluate(values));
        tuples.set(tuple.length === 1 ? tuple[0]! : tuple.join(), tuple);
        return;
      }
      const variable = variables[depth]!;
      for (let value = bounds[variable]!.lower; value <= bounds[variable]!.upper; value++) {
        values[variable] = value;
        visit(depth + 1);
      }
    };
    visit(0);
    if (tuples.size === 0) return null;
    if (results.length > 0) set.parts.push({results, tuples: [...tuples.values()]});
  }
  map.results.forEach((result, i) => {
    if (result.variables.size === 0) set.parts.push({results: [i], tuples: [[result.evaluate(values)]]});
  });
  return set;
}

function numbersOf({lower, upper}: Bounds): number[][] {
  if (upper - lower >= 1 << 20) throw new RangeError('more than a million values of an index');
  return Array.from({length: upper - lower + 1}, (_, i) => [lower + i]);
}

/** How many indices a set has. */
export function sizeOf(set: IndexSet): number {
  return set.parts.reduce((n, part) => n * part.tuples.length, 1);
}
