/* Parts of the C++ library and of the language that programs use together. What prints is the same in every library. */
#include <any>
#include <algorithm>
#include <bitset>
#include <charconv>
#include <chrono>
#include <coroutine>
#include <deque>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
template<class T> struct gen { struct promise_type { T v; gen get_return_object(){return {std::coroutine_handle<promise_type>::from_promise(*this)};} std::suspend_always initial_suspend(){return{};} std::suspend_always final_suspend() noexcept {return{};} std::suspend_always yield_value(T x){v=x;return{};} void return_void(){} void unhandled_exception(){std::terminate();} }; std::coroutine_handle<promise_type> h; ~gen(){h.destroy();} bool next(){h.resume();return !h.done();} T value(){return h.promise().v;} gen(std::coroutine_handle<promise_type> x):h(x){} gen(gen&&o):h(o.h){o.h=nullptr;} };
gen<int> fib(int n){int a=0,b=1;while(n--){co_yield a;int t=a+b;a=b;b=t;}}
struct shape{virtual ~shape()=default;virtual double area()const=0;};
struct sq:shape{double s;sq(double s):s(s){}double area()const override{return s*s;}};
struct ci:shape{double r;ci(double r):r(r){}double area()const override{return 3.14159*r*r;}};
int main(){
  {auto g=fib(10);while(g.next())std::cout<<g.value()<<' ';std::cout<<'\n';}
  std::regex re("(\\w+)@(\\w+)\\.com");std::smatch m;std::string s="mail bob@example.com now";if(std::regex_search(s,m,re))std::cout<<m[1]<<' '<<m[2]<<'\n';
  std::variant<int,std::string,double>v="hi";std::visit([](auto&x){std::cout<<x<<'\n';},v);
  std::any a=5;try{std::any_cast<long>(a);}catch(const std::bad_any_cast&e){std::cout<<"bad any\n";}
  for(int x:std::views::iota(1,20)|std::views::filter([](int x){return x%3==0;})|std::views::transform([](int x){return x*x;}))std::cout<<x<<',';std::cout<<'\n';
  std::mt19937 r(42);std::cout<<r()<<' '<<r()<<'\n';
  std::map<std::string,std::vector<int>>mm;mm["a"].push_back(1);mm["b"]={1,2,3};for(auto&[k,x]:mm)std::cout<<k<<x.size();std::cout<<'\n';
  std::vector<std::unique_ptr<shape>>sh;sh.emplace_back(new sq(2));sh.emplace_back(new ci(1));std::cout<<std::accumulate(sh.begin(),sh.end(),0.0,[](double t,auto&p){return t+p->area();})<<'\n';
  if(auto*c=dynamic_cast<ci*>(sh[1].get()))std::cout<<"circle "<<c->r<<'\n';
  std::weak_ptr<int>w;{auto p=std::make_shared<int>(7);w=p;std::cout<<w.use_count();}std::cout<<w.expired()<<'\n';
  int n;auto[p,ec]=std::from_chars("123abc","123abc"+6,n);std::cout<<n<<*p<<(ec==std::errc())<<'\n';
  char buf[32];auto tc=std::to_chars(buf,buf+32,1.0/3);std::cout<<std::string(buf,tc.ptr)<<'\n';
  std::priority_queue<int,std::vector<int>,std::greater<>>pq;for(int x:{5,1,4})pq.push(x);while(!pq.empty()){std::cout<<pq.top();pq.pop();}std::cout<<'\n';
  std::ostringstream o;o<<std::setw(8)<<std::setfill('*')<<std::hex<<std::showbase<<48879<<std::setprecision(3)<<std::scientific<<12345.678;std::cout<<o.str()<<'\n';
  std::istringstream in("12 3.5 word");int i;double d;std::string t;in>>i>>d>>t;std::cout<<i<<d<<t<<in.eof()<<'\n';
  std::bitset<12>b(0b1011);b<<=3;std::cout<<b<<b.count()<<'\n';
  using namespace std::chrono;auto ymd=year_month_day{sys_days{days{19000}}};std::cout<<(int)ymd.year()<<(unsigned)ymd.month()<<(unsigned)ymd.day()<<'\n';
  try{try{throw std::runtime_error("inner");}catch(...){std::throw_with_nested(std::logic_error("outer"));}}catch(const std::exception&e){std::cout<<e.what();try{std::rethrow_if_nested(e);}catch(const std::exception&x){std::cout<<x.what()<<'\n';}}
  std::function<int(int)>f=[&](int k){return k<2?k:f(k-1)+f(k-2);};std::cout<<f(12)<<'\n';
  std::deque<int>dq{1,2,3};dq.push_front(0);std::rotate(dq.begin(),dq.begin()+1,dq.end());for(int x:dq)std::cout<<x;std::cout<<'\n';
  std::string u="Hello";std::ranges::transform(u,u.begin(),::toupper);std::cout<<u<<u.find("LL")<<std::stoi("42")+std::stod("1.5")<<'\n';
  std::optional<std::string>op;std::cout<<op.value_or("none")<<std::tuple_size_v<std::tuple<int,int>><<'\n';
  try{std::vector<int>z(3);z.at(5);}catch(const std::out_of_range&e){std::cout<<"oor\n";}
  std::multiset<int>ms{3,1,3};std::cout<<ms.count(3)<<*ms.lower_bound(2)<<'\n';std::list<int>l{3,1,2};l.sort();l.remove(2);for(int x:l)std::cout<<x;std::cout<<'\n';
  std::shuffle(dq.begin(),dq.end(),r);std::cout<<std::inner_product(dq.begin(),dq.end(),dq.begin(),0)<<'\n';
  return 0;}
