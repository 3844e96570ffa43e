# A roofline with its data. Draw it again: gnuplot roofline_softmax.gp
if (!exists("svg")) svg = "roofline_softmax.svg"
if (!exists("png")) png = "roofline_softmax.png"
set encoding utf8
$points << EOD
0.663829 5.11923e+10
0.663829 7.39463e+11
0.663829 1.46492e+12
0.663829 1.84501e+12
0.663829 1.18944e+12
1.36828 7.60295e+10
1.36828 8.59291e+11
1.36828 2.1129e+12
1.36828 2.63519e+12
1.45329 7.68253e+10
1.45329 8.39769e+11
1.45329 1.85197e+12
1.45329 2.48402e+12
1.45329 2.07101e+12
1.45329 1.58572e+12
1.45329 3.59056e+12
0.705071 6.8081e+10
0.705071 5.77971e+11
0.705071 1.3316e+12
0.705071 1.15109e+12
0.705071 9.00532e+11
1.54358 6.44792e+10
1.54358 5.49595e+11
1.54358 1.45324e+12
1.54358 1.24899e+12
1.63947 6.47849e+10
1.63947 5.47332e+11
1.63947 1.46678e+12
1.63947 1.26235e+12
1.63947 1.7088e+12
1.63947 2.28536e+12
1.63947 2.74128e+12
0.748875 7.45882e+10
0.748875 7.39748e+11
0.748875 1.71963e+12
0.748875 1.84565e+12
1.74133 7.82277e+10
1.74133 9.2499e+11
1.74133 3.12121e+12
1.74133 3.6039e+12
1.84951 7.68081e+10
1.84951 8.96587e+11
1.84951 3.1022e+12
1.84951 3.57774e+12
1.84951 1.21261e+12
1.84951 3.63066e+12
0.521615 4.01171e+09
0.521615 1.44966e+10
0.521615 5.03598e+10
0.521615 1.01692e+11
0.844817 3.33908e+09
0.844817 1.40121e+10
0.844817 5.49285e+10
0.844817 1.07628e+11
0.897303 3.32411e+09
0.897303 1.3918e+10
0.897303 5.45288e+10
0.897303 1.07031e+11
0.554022 5.90344e+10
0.554022 5.41977e+11
0.554022 1.4056e+12
0.554022 1.41877e+12
0.95305 5.99924e+10
0.95305 5.67713e+11
0.95305 1.70344e+12
0.95305 1.8309e+12
1.01226 6.07316e+10
1.01226 5.62087e+11
1.01226 1.69533e+12
1.01226 1.8271e+12
0.588442 6.55998e+10
0.588442 6.85176e+11
0.588442 1.07737e+12
0.588442 1.17803e+12
1.07515 7.46457e+10
1.07515 8.11501e+11
1.07515 2.07799e+12
1.07515 2.27626e+12
1.14195 7.58193e+10
1.14195 8.02103e+11
1.14195 2.06887e+12
1.14195 2.27564e+12
0.625 7.58802e+10
0.625 7.48131e+11
0.625 1.73735e+12
0.625 1.84251e+12
0.625 1.28913e+12
1.21289 7.84638e+10
1.21289 9.02972e+11
1.21289 3.09847e+12
1.21289 3.59218e+12
1.28824 7.79042e+10
1.28824 8.9157e+11
1.28824 3.07543e+12
1.28824 3.59506e+12
1.28824 2.73754e+12
1.28824 2.85552e+12
1.28824 3.59014e+12
EOD
$lines << EOD
0.1 8.0044e+11
7.88194 6.30902e+13


0.1 3.01396e+11
20.9327 6.30902e+13


0.1 3.1167e+11
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.491105 1.94794e+12
0.795401 1.94794e+12


0.795401 3.89588e+12
1.96442 3.89588e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.1:100]
set yrange [1e+09:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of softmax: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.109607, 1.09301e+12 left rotate by 22.2 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.117476, 2.7198e+11 left rotate by 22.2 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.109607, 4.25592e+11 left rotate by 22.2 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 93.5587, 7.73237e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.55 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.55 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.55 linewidth 1.8 notitle, \
  $points every ::46-1::46-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::47-1::47-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::93-1::93-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::94-1::94-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::95-1::95-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::96-1::96-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::97-1::97-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.55 linewidth 1.0 notitle, \
  $points every ::98-1::98-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'triton', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.95 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.10 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.25 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'lm_head_128k', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.55 linewidth 1.6 title 'lm_head_gpt2', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'attention_1024'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
