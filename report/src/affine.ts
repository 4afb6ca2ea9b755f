// Indexing maps in their text form: parsed and evaluated.
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
  /** The same at many points: the values of each variable at all of them. */
  column(values: readonly Float64Array[], points: number): Float64Array;
  /** Bounds of its value where the variables have these; not always the tightest. */
  range(bounds: readonly Bounds[]): Bounds;
  /** The numbers of the variables in it. */
  variables: Set<number>;
  /** Where it is a sum of multiples of variables: what each is multiplied by, and what is added. */
  linear: Linear | null;
}

export interface Linear {
  factors: Map<number, number>;
  constant: number;
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

  /** An integer, or infinity: there is no such end. */
  end(): number {
    const sign = this.take('-') ? -1 : 1;
    const token = this.next();
    if (token === 'inf') return sign * Infinity;
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
      if (this.take('+')) left = combine(left, this.product(), (a, b) => a + b, corners, added);
      else if (this.take('-')) left = combine(left, this.product(), (a, b) => a - b, corners, (a, b) => added(a, multiplied(b, {factors: new Map(), constant: -1})));
      else return left;
    }
  }

  private product(): Term {
    let left = this.factor();
    for (;;) {
      if (this.take('*')) left = combine(left, this.factor(), (a, b) => a * b, corners, multiplied);
      else if (this.take('floordiv')) left = combine(left, this.factor(), floorDiv, corners, none);
      else if (this.take('ceildiv')) left = combine(left, this.factor(), (a, b) => -floorDiv(-a, b), corners, none);
      else if (this.take('mod')) left = combine(left, this.factor(), mod, rangeOfMod, none);
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
      return combine(constantTerm(-1), this.factor(), (a, b) => a * b, corners, multiplied);
    }
    const token = this.next();
    if (/^\d+$/.test(token)) {
      return constantTerm(Number(token));
    }
    const variable = this.names.get(token);
    if (variable === undefined) throw new SyntaxError(`'${token}' is no variable`);
    return {
      text: '',
      variables: new Set([variable]),
      evaluate: (values) => values[variable]!,
      column: (values) => values[variable]!,
      range: (bounds) => bounds[variable]!,
      linear: {factors: new Map([[variable, 1]]), constant: 0},
    };
  }
}

type Operation = (a: number, b: number) => number;
type RangeOperation = (a: Bounds, b: Bounds, operation: Operation) => Bounds;

// Exact for integers below 2^53: the quotient is nearer to no other integer. `%` is much slower.
export function floorDiv(a: number, b: number): number {
  return Math.floor(a / b) + 0;
}

function mod(a: number, b: number): number {
  return a - b * Math.floor(a / b);
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

type LinearOperation = (a: Linear | null, b: Linear | null) => Linear | null;

const none: LinearOperation = () => null;

const added: LinearOperation = (a, b) => {
  if (a === null || b === null) return null;
  const factors = new Map(a.factors);
  for (const [variable, factor] of b.factors) factors.set(variable, (factors.get(variable) ?? 0) + factor);
  return {factors, constant: a.constant + b.constant};
};

const multiplied: LinearOperation = (a, b) => {
  if (a === null || b === null) return null;
  if (a.factors.size > 0) return b.factors.size > 0 ? null : multiplied(b, a);
  return {
    factors: new Map([...b.factors].map(([variable, factor]) => [variable, a.constant * factor])),
    constant: a.constant * b.constant,
  };
};

function constantTerm(value: number): Term {
  return {
    text: '',
    variables: new Set(),
    evaluate: () => value,
    column: (_, points) => new Float64Array(points).fill(value),
    range: () => ({lower: value, upper: value}),
    linear: {factors: new Map(), constant: value},
  };
}

function checked(result: number): number {
  if (!Number.isSafeInteger(result)) throw new RangeError('a number is beyond 2^53');
  return result;
}

function combine(a: Term, b: Term, operation: Operation, rangeOperation: RangeOperation, linearOperation: LinearOperation): Term {
  return {
    text: '',
    variables: new Set([...a.variables, ...b.variables]),
    evaluate: (values) => checked(operation(a.evaluate(values), b.evaluate(values))),
    column: (values, points) => {
      const right = b.variables.size === 0 ? b.evaluate([]) : null;
      const [lefts, rights] = [a.column(values, points), right === null ? b.column(values, points) : null];
      const results = new Float64Array(points);
      for (let i = 0; i < points; i++) results[i] = checked(operation(lefts[i]!, right ?? rights![i]!));
      return results;
    },
    range: (bounds) => rangeOperation(a.range(bounds), b.range(bounds), operation),
    linear: linearOperation(a.linear, b.linear),
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
    const lower = parser.end();
    parser.expect(',');
    const upper = parser.end();
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
