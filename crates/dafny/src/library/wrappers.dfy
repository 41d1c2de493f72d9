// The part of Dafny's standard library that Stet has, by its public interface.
module Std {
  module Wrappers {
    datatype Option<+T> = None | Some(value: T) {
      predicate IsFailure() { None? }
      function PropagateFailure<U>(): Option<U>
        requires None?
      { None }
      function Extract(): T
        requires Some?
      { value }
      function GetOr(default: T): T { if None? then default else value }
      function ToResult<E>(error: E): Result<T, E> { if None? then Failure(error) else Success(value) }
      function ToOutcome<E>(error: E): Outcome<E> { if None? then Fail(error) else Pass }
      function Map<R>(rewrap: Option<T> -> R): R { rewrap(this) }
    }

    datatype Result<+R, +E> = Success(value: R) | Failure(error: E) {
      predicate IsFailure() { Failure? }
      function PropagateFailure<U>(): Result<U, E>
        requires Failure?
      { Failure(error) }
      function Extract(): R
        requires Success?
      { value }
      function GetOr(default: R): R { if Failure? then default else value }
      function ToOption(): Option<R> { if Failure? then None else Some(value) }
      function ToOutcome(): Outcome<E> { if Failure? then Fail(error) else Pass }
      function Map<S>(rewrap: Result<R, E> -> S): S { rewrap(this) }
      function MapFailure<F>(rewrap: E -> F): Result<R, F> {
        if Failure? then Failure(rewrap(error)) else Success(value)
      }
    }

    datatype Outcome<+E> = Pass | Fail(error: E) {
      predicate IsFailure() { Fail? }
      function PropagateFailure(): Outcome<E>
        requires Fail?
      { this }
      function ToOption<R>(value: R): Option<R> { if Fail? then None else Some(value) }
      function ToResult<R>(value: R): Result<R, E> { if Fail? then Failure(error) else Success(value) }
      function Map<R>(rewrap: Outcome<E> -> R): R { rewrap(this) }
      function MapFailure<R, F>(rewrap: E -> F, default: R): Result<R, F> {
        if Fail? then Failure(rewrap(error)) else Success(default)
      }
      static function Need(condition: bool, error: E): (result: Outcome<E>) {
        if condition then Pass else Fail(error)
      }
    }

    datatype OutcomeResult<+E> = Pass' | Fail'(error: E) {
      predicate IsFailure() { Fail'? }
      function PropagateFailure<U>(): Result<U, E>
        requires Fail'?
      { Failure(error) }
    }

    function Need<E>(condition: bool, error: E): (result: OutcomeResult<E>) {
      if condition then Pass' else Fail'(error)
    }
  }
}
